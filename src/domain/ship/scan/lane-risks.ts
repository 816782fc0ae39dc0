import type { Lane, Risk } from './lane.ts';
import type { Outside } from './outside.ts';

const DEVELOPMENT =
  /\b(nodemon|runserver|next dev|vite dev|ng serve|react-scripts start|artisan serve|php -S)\b|--watch\b/;

type Doubt = Pick<Risk, 'level' | 'code' | 'message' | 'files'>;

/** What somebody should know before this lane is deployed. */
export function laneRisks(lane: Lane, outside: Outside): readonly Risk[] {
  const doubts = [
    noStart(lane),
    otherCommand(lane, outside),
    otherPort(lane, outside),
    ...habits(lane),
  ];
  return doubts.flatMap((doubt) => (doubt === undefined ? [] : [{ ...doubt, lane: lane.name }]));
}

function noStart(lane: Lane): Doubt | undefined {
  if (lane.kind === 'infra' || lane.staticDir !== null || lane.start !== null) return undefined;
  const message = `No start command was found for ${lane.name}.`;
  return { level: 'warn', code: 'no-start-command', message, files: [] };
}

function otherCommand(lane: Lane, outside: Outside): Doubt | undefined {
  const cmd = outside.start.find(({ rule }) => rule === 'dockerfile-cmd');
  if (cmd === undefined || lane.start === null || lane.kind === 'worker') return undefined;
  if (lane.ecosystem === 'docker' || agrees(cmd.value, lane.start, lane.startVia)) return undefined;
  const message = `The Dockerfile starts "${cmd.value}", the project itself "${lane.start}".`;
  return { level: 'note', code: 'dockerfile-disagrees', message, files: [cmd.file] };
}

function agrees(cmd: string, start: string, via: string | null): boolean {
  if (cmd.includes(start) || start.includes(cmd) || cmd === via) return true;
  return /\b(npm|yarn|pnpm|bun)\b.*\bstart\b/.test(cmd);
}

function otherPort(lane: Lane, outside: Outside): Doubt | undefined {
  const exposed = outside.ports.filter(({ evidence }) => evidence.rule === 'dockerfile-expose');
  if (lane.port === null || exposed.length === 0) return undefined;
  if (exposed.some(({ port }) => port === lane.port)) return undefined;
  const ports = exposed.map(({ port }) => port).join(', ');
  const message = `The program listens on ${lane.port}, the Dockerfile exposes ${ports}.`;
  return {
    level: 'warn',
    code: 'port-disagrees',
    message,
    files: exposed.map(({ evidence }) => evidence.file),
  };
}

function habits(lane: Lane): readonly Doubt[] {
  const doubts: Doubt[] = [];
  if (lane.portBinding?.by === 'fixed')
    doubts.push({
      level: 'note',
      code: 'fixed-port',
      message: `${lane.name} always listens on ${lane.port}; a platform cannot choose the port.`,
      files: [],
    });
  if (DEVELOPMENT.test(lane.start ?? ''))
    doubts.push({
      level: 'note',
      code: 'development-server',
      message: `"${lane.start}" is a server for development.`,
      files: [],
    });
  return doubts;
}
