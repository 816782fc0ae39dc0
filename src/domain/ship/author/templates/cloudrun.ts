import { portOf, variableNames } from '../lane.ts';
import type { LaneLayout } from '../layout.ts';

/** Stands where the deploy puts the image it built. */
export const IMAGE_PLACEHOLDER = 'IMAGE';

/** A Cloud Run service; secrets are references by name. */
export function cloudrunManifest(layout: LaneLayout): string {
  const { lane, app } = layout;
  const port = portOf(lane);
  const lines = [
    `# Written by Convoy for the lane ${quoted(lane.name)}. Edit it and it is yours.`,
    'apiVersion: serving.knative.dev/v1',
    'kind: Service',
    'metadata:',
    `  name: ${quoted(app)}`,
    '  labels:',
    '    managed-by: convoy',
    'spec:',
    '  template:',
    '    metadata:',
    '      annotations:',
    '        autoscaling.knative.dev/maxScale: "10"',
    '    spec:',
    '      containerConcurrency: 80',
    '      containers:',
    `        - image: ${IMAGE_PLACEHOLDER}`,
    ...(port === null ? [] : ['          ports:', `            - containerPort: ${port}`]),
    ...(port === null ? [] : probe(port, lane.healthPath)),
    ...secretReferences(variableNames(lane.secrets)),
    '          resources:',
    '            limits:',
    '              cpu: "1"',
    '              memory: 512Mi',
  ];
  return `${lines.join('\n')}\n`;
}

function probe(port: number, health: string | null): readonly string[] {
  const target =
    health === null
      ? ['            tcpSocket:', `              port: ${port}`]
      : [
          '            httpGet:',
          `              path: ${quoted(health)}`,
          `              port: ${port}`,
        ];
  return [
    '          startupProbe:',
    ...target,
    '            periodSeconds: 5',
    '            failureThreshold: 24',
  ];
}

const secretReferences = (names: readonly string[]): readonly string[] =>
  names.length === 0
    ? []
    : [
        '          env:',
        ...names.flatMap((name) => [
          `            - name: ${name}`,
          '              valueFrom:',
          '                secretKeyRef:',
          `                  name: ${name}`,
          '                  key: latest',
        ]),
      ];

/** A double-quoted scalar of YAML reads what JSON writes. */
const quoted = (text: string): string => JSON.stringify(text);
