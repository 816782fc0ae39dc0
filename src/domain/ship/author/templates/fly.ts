import { isStatic, portOf } from '../lane.ts';
import type { LaneLayout } from '../layout.ts';
import { baseOf, climbTo, directoryOf } from '../paths.ts';
import { startCommand } from './command-line.ts';
import { imageFile } from './image-file.ts';

/** A Fly.io application; the region is left to the account. */
export function flyManifest(layout: LaneLayout): string {
  const { lane, app } = layout;
  const port = portOf(lane);
  const image = imageFile(layout);
  const beside = directoryOf(image) === lane.path;
  const lines = [
    `# Written by Convoy for the lane "${lane.name}". Edit it and it is yours.`,
    ...(layout.context === lane.path
      ? []
      : [
          `# Deploy from ${JSON.stringify(climbTo(lane.path, layout.context))}, the build context.`,
        ]),
    `app = ${quoted(app)}`,
    '',
    '[build]',
    `  dockerfile = ${quoted(beside ? baseOf(image) : `${climbTo(lane.path, '.')}/${image}`)}`,
    ...(port === null
      ? isStatic(lane)
        ? []
        : ['', '[processes]', `  app = ${quoted(startCommand(lane) ?? '')}`]
      : httpService(port, lane.healthPath)),
    '',
    '[[vm]]',
    '  size = "shared-cpu-1x"',
    '  memory = "512mb"',
  ];
  return `${lines.join('\n')}\n`;
}

function httpService(port: number, health: string | null): readonly string[] {
  const check = [
    '',
    '  [[http_service.checks]]',
    `    path = ${quoted(health ?? '')}`,
    '    method = "GET"',
    '    interval = "15s"',
    '    timeout = "5s"',
    '    grace_period = "20s"',
  ];
  return [
    '',
    '[http_service]',
    `  internal_port = ${port}`,
    '  force_https = true',
    '  auto_stop_machines = "stop"',
    '  auto_start_machines = true',
    '  min_machines_running = 1',
    ...(health === null ? [] : check),
  ];
}

/** A basic string of TOML escapes what JSON escapes. */
const quoted = (text: string): string => JSON.stringify(text);
