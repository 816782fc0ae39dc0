import { unreachable } from '../../../lib/unreachable.ts';
import type { LaneLayout } from './layout.ts';
import type { HasFile } from './recipes/recipe.ts';
import { cloudrunManifest } from './templates/cloudrun.ts';
import { dockerfile } from './templates/dockerfile.ts';
import { dockerignore } from './templates/dockerignore.ts';
import { envSchema } from './templates/env-schema.ts';
import { flyManifest } from './templates/fly.ts';
import { localManifest, railwayManifest, vercelManifest } from './templates/json-manifests.ts';
import { workflow } from './templates/workflow.ts';

export type Draft = { readonly path: string; readonly content: string; readonly lane: string };

export type LaneFiles = {
  readonly drafts: readonly Draft[];
  /** Why the lane gets no image of ours although its platform would run one. */
  readonly withoutImage: string | null;
};

/** Every file one lane gets; the same lane always gives the same bytes. */
export function laneFiles(layout: LaneLayout, has: HasFile): LaneFiles {
  const { lane } = layout;
  if (lane.kind === 'infra') return { drafts: [], withoutImage: null };
  const wantsImage = lane.platform !== 'vercel' && lane.dockerfile == null;
  const image = wantsImage ? dockerfile(layout, has) : null;
  const schema = envSchema(layout);
  // A manifest and a workflow for an image that nobody can build would only fail later.
  const deployable = !wantsImage || image !== null;
  const drafts: readonly (readonly [path: string, content: string | null])[] = [
    [layout.dockerfile, image],
    [layout.dockerignore, image === null ? null : dockerignore(layout)],
    [layout.manifest, deployable ? manifest(layout, has) : null],
    [layout.workflow, deployable ? workflow(layout) : null],
    [layout.envSchema, schema],
  ];
  return {
    drafts: drafts.flatMap(([path, content]) =>
      content === null ? [] : [{ path, content, lane: lane.name }],
    ),
    withoutImage: deployable ? null : whyNoImage(layout),
  };
}

function manifest(layout: LaneLayout, has: HasFile): string {
  switch (layout.lane.platform) {
    case 'fly':
      return flyManifest(layout);
    case 'railway':
      return railwayManifest(layout);
    case 'vercel':
      return vercelManifest(layout, has);
    case 'cloudrun':
      return cloudrunManifest(layout);
    case 'local':
      return localManifest(layout);
    default:
      return unreachable(layout.lane.platform);
  }
}

function whyNoImage({ lane }: LaneLayout): string {
  if (lane.ecosystem === 'docker') return 'its image is built from files the lane does not name';
  if (lane.ecosystem === 'unknown') return 'its ecosystem is not known';
  return lane.start === null && lane.staticDir == null
    ? 'it has no start command'
    : `no template builds ${lane.ecosystem} with ${lane.packageManager ?? 'this build command'}`;
}
