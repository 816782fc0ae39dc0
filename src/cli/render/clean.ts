// oxlint-disable no-control-regex -- control characters are what this file is about

/**
 * Makes text from anywhere safe for a terminal.
 *
 * Escape sequences go as a whole, other control characters singly; line breaks stay. Characters
 * that reorder text are made visible, because hiding them would hide the attempt.
 */
export function clean(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n|[\u2028\u2029]/g, '\n')
    .replaceAll('\t', '    ')
    .replaceAll(SEQUENCES, '')
    .replaceAll(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, '')
    .replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, visible);
}

/** The same for one line: breaks become spaces. */
export const cleanLine = (text: string): string => clean(text).replaceAll('\n', ' ');

const visible = (char: string): string =>
  `<U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}>`;

/**
 * Strings (OSC, DCS, SOS, PM, APC) up to their end, CSI sequences, and two- or three-byte escapes,
 * in the 7-bit and the 8-bit form. A string without an end loses only its start, so that nothing
 * can swallow the rest of the page.
 */
const SEQUENCES =
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]/g;
