/** The reference page's looks, light and dark. */
export const REFERENCE_STYLE = `:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }
nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; padding: 0.5rem 0; }
section { padding-top: 0.5rem; }
details { border-top: 1px solid color-mix(in srgb, currentColor 20%, transparent); padding: 0.5rem 0; }
summary { cursor: pointer; }
summary b { display: inline-block; min-width: 4.5rem; }
pre, table { overflow-x: auto; }
pre { padding: 0.75rem; background: color-mix(in srgb, currentColor 7%, transparent); }
td { padding: 0.1rem 1rem 0.1rem 0; vertical-align: top; }
`;
