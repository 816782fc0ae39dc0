import picocolors from 'picocolors';

export type Paint = (text: string) => string;

/** The few colours we use, or none of them. */
export type Palette = {
  readonly grey: Paint;
  readonly blue: Paint;
  readonly indigo: Paint;
  readonly green: Paint;
  readonly amber: Paint;
  readonly red: Paint;
  readonly bold: Paint;
};
export type Colour = Exclude<keyof Palette, 'bold'>;

export function paletteFor(color: boolean): Palette {
  const { gray, blue, magenta, green, yellow, red, bold } = picocolors.createColors(color);
  return { grey: gray, blue, indigo: magenta, green, amber: yellow, red, bold };
}

/** Text from anywhere with the paint it gets after it was cleaned and cut. */
export type Cell = string | { readonly text: string; readonly paint: Paint };

export const textOf = (cell: Cell): string => (typeof cell === 'string' ? cell : cell.text);
export const paintOf = (cell: Cell): Paint => (typeof cell === 'string' ? plain : cell.paint);

const plain: Paint = (text) => text;
