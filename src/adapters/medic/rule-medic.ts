import { diagnose } from '../../domain/ship/medic/diagnose.ts';
import type { Medic, RepositoryReader } from '../../ports/medic.ts';

/** A medic that needs no model: it knows how the common faults look. */
export function createRuleMedic(reader: RepositoryReader, secrets: readonly string[] = []): Medic {
  return {
    async diagnose(evidence) {
      const named = [...evidence.ownedFiles, ...evidence.changes.map((change) => change.file)];
      return diagnose(evidence, await reader.snapshot(named), secrets);
    },
  };
}
