import type { AuthorLane } from '../lane.ts';
import { unreachable } from '../../../../lib/unreachable.ts';
import { dotnetRecipe, goRecipe, jvmRecipe, rustRecipe, swiftRecipe } from './compiled.ts';
import { denoRecipe, elixirRecipe, phpRecipe, rubyRecipe } from './interpreted.ts';
import { nodeRecipe } from './node.ts';
import { pythonRecipe } from './python.ts';
import { recipe, stage, type HasFile, type Recipe } from './recipe.ts';

/** The recipe for a lane, or null when none is known or the repository brings its own image. */
export function recipeFor(lane: AuthorLane, has: HasFile): Recipe | null {
  switch (lane.ecosystem) {
    case 'node':
      return nodeRecipe(lane, has);
    case 'python':
      return pythonRecipe(lane, has);
    case 'go':
      return goRecipe(lane);
    case 'rust':
      return rustRecipe(lane, has);
    case 'ruby':
      return rubyRecipe(lane, has);
    case 'php':
      return phpRecipe(lane, has);
    case 'jvm':
      return jvmRecipe(lane);
    case 'dotnet':
      return dotnetRecipe(lane);
    case 'elixir':
      return elixirRecipe(lane);
    case 'swift':
      return swiftRecipe(lane);
    case 'deno':
      return denoRecipe(lane);
    case 'static':
      return staticRecipe(lane);
    case 'docker':
    case 'unknown':
      return null;
    default:
      return unreachable(lane.ecosystem);
  }
}

/** Plain files need no build; of the site generators only one comes as a system package. */
function staticRecipe(lane: AuthorLane): Recipe | null {
  const served = stage(STATIC_SERVER);
  if (lane.build === null) return recipe(lane, stage(STATIC_SERVER), served);
  if (!/^hugo\b/.test(lane.build)) return null;
  return recipe(lane, stage('debian:bookworm-slim', { packages: ['hugo'] }), served);
}

export const STATIC_SERVER = 'caddy:2-alpine';
