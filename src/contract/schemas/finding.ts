import * as z from 'zod';
import { SEVERITIES } from '../../domain/review/verdict.ts';

/** What a reviewer has to say about one place, or with no file about the whole. */
export const finding = z.object({
  file: z.string().nullable(),
  line: z.number().nullable(),
  severity: z.enum(SEVERITIES),
  text: z.string(),
});
