/** Where chance comes from: short random words for ids. */
export type Ids = {
  /** `length` random characters of 0-9a-z. */
  base36(length: number): string;
};
