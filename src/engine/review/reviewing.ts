import type { Review } from '../../domain/review/review.ts';
import type { Repository } from '../../ports/repository.ts';
import type { RepoSettings } from '../../ports/settings.ts';
import type { ReviewBrief } from './brief.ts';

/** What is reviewed, where, and what the reviewer is told. */
export type Reviewing = {
  readonly repository: Repository;
  readonly review: Review;
  readonly repo: RepoSettings;
  readonly brief: ReviewBrief;
};
