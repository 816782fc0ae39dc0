import type { LaneLayout } from '../layout.ts';
import { imageFile } from './image-file.ts';

/**
 * A workflow that builds the lane on every pull request that touches it.
 *
 * It may only read. Paths reach the shell as variables, so that no name can become a command.
 */
export function workflow(layout: LaneLayout): string {
  const { lane, context } = layout;
  const watched = context === '.' ? '**' : `${escapedGlob(context)}/**`;
  const lines = [
    `# Written by Convoy for the lane ${quoted(lane.name)}. Edit it and it is yours.`,
    `name: ${quoted(`convoy ${lane.name}`)}`,
    'on:',
    '  pull_request:',
    '    paths:',
    `      - ${quoted(watched)}`,
    `      - ${quoted(layout.workflow)}`,
    '  workflow_dispatch:',
    'permissions:',
    '  contents: read',
    'concurrency:',
    `  group: convoy-${layout.app}-\${{ github.ref }}`,
    '  cancel-in-progress: true',
    'jobs:',
    '  build:',
    '    runs-on: ubuntu-latest',
    '    timeout-minutes: 30',
    '    steps:',
    '      - uses: actions/checkout@v4',
    '        with:',
    '          persist-credentials: false',
    ...(lane.platform === 'vercel' ? sourceBuild(layout) : imageBuild(layout)),
  ];
  return `${lines.join('\n')}\n`;
}

const imageBuild = (layout: LaneLayout): readonly string[] => [
  '      - name: Build the image',
  '        env:',
  `          DOCKERFILE: ${quoted(imageFile(layout))}`,
  `          CONTEXT: ${quoted(layout.context)}`,
  `          IMAGE: ${quoted(`${layout.app}:ci`)}`,
  '        run: docker build --file "$DOCKERFILE" --tag "$IMAGE" "$CONTEXT"',
];

const sourceBuild = (layout: LaneLayout): readonly string[] => [
  '      - uses: actions/setup-node@v4',
  '        with:',
  '          node-version: "24"',
  '      - name: Install',
  `        working-directory: ${quoted(layout.lane.installPath ?? layout.lane.path)}`,
  `        run: ${quoted(`corepack enable && ${layout.lane.install ?? 'true'}`)}`,
  ...(layout.lane.build === null
    ? []
    : [
        '      - name: Build',
        `        working-directory: ${quoted(layout.lane.path)}`,
        '        env:',
        `          BUILD: ${quoted(layout.lane.build)}`,
        '        run: PATH="$PWD/node_modules/.bin:$GITHUB_WORKSPACE/node_modules/.bin:$PATH" sh -c "$BUILD"',
      ]),
];

const escapedGlob = (path: string): string => path.replaceAll(/[*?[\]!+]/g, String.raw`\$&`);

const quoted = (text: string): string => JSON.stringify(text);
