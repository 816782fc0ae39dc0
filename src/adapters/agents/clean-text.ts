// oxlint-disable no-control-regex -- control characters are what this file is about
/** Operating-system commands (titles, links), then control sequences, then single escapes. */
const ESCAPES =
  /(?:\u001B\]|\u009D)[^\u0007\u001B\u009C]*(?:\u0007|\u001B\\|\u009C)?|(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]?|\u001B[ -/]*[0-~]?/g;
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;

/** Text that does nothing to a terminal: escapes and control characters are gone, tabs and lines stay. */
export const cleanText = (text: string): string =>
  text.replaceAll(ESCAPES, '').replaceAll(CONTROLS, '');

/** The beginning of a text, with a sign where something is missing. */
export const clip = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most)}… (${text.length - most} more)`;
