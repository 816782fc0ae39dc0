/** A value from the command line: JSON where it is a number, a boolean, a list, an object or quoted; else text. */
export function settingFrom(text: string): unknown {
  if (!/^(-?\d|true$|false$|[[{"])/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
