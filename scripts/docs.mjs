// npm run docs:reference: writes every generated page; with --check it only says which are stale.
import './notices.mjs';
import './reference.mjs';
import './reference-config.mjs';
import './reference-events.mjs';
