import type { Problem } from '../contract/problem.ts';
import type { AnyRoute } from '../contract/route.ts';
import { type Identity, mayCall } from '../domain/identity/identity.ts';

/** The problem of a caller whose role does not reach that far, or null. */
export function roleProblem(route: AnyRoute, { role }: Identity): Problem | null {
  if (mayCall(role, route.roles)) return null;
  return {
    kind: 'forbidden',
    code: 'role_not_allowed',
    message: `A ${role}'s token may not do this (${route.id}).`,
    remedy: `It takes ${[...route.roles, 'operator'].join(' or ')}.`,
  };
}
