import type { MisdeedJson } from '../../contract/schemas/task.ts';

/** `in attempt 1: written in the checkout of main while it ran: notes.txt` */
export const misdeedWords = ({ number, text }: MisdeedJson): string =>
  `in attempt ${number}: ${text}`;
