import type { LaneLayout } from '../layout.ts';

/** The Dockerfile a manifest names: the repository's own where it has one, otherwise ours. */
export const imageFile = ({ lane, dockerfile }: LaneLayout): string =>
  lane.dockerfile ?? dockerfile;
