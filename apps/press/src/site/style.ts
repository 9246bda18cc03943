/** The one style sheet of the site. */
export const STYLE = `:root { color-scheme: light dark; --ink: #1d2329; --page: #fbfaf7; --quiet: #59636d; --line: #d9d6cd; --link: #14508c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e6e0; --page: #16191c; --quiet: #a3abb3; --line: #3a3f44; --link: #8fc1f2; } }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 42rem; background: var(--page); color: var(--ink); font: 1.0625rem/1.6 Georgia, serif; }
header, footer, nav { font-family: system-ui, sans-serif; font-size: 0.9375rem; }
header a, footer a { margin-right: 1rem; }
a { color: var(--link); }
h1 { line-height: 1.2; }
time, .quiet { color: var(--quiet); font-family: system-ui, sans-serif; font-size: 0.875rem; }
article { overflow-wrap: anywhere; }
pre { overflow-x: auto; padding: 0.75rem; border: 1px solid var(--line); }
img { max-width: 100%; }
ol, ul { padding-left: 1.25rem; }
footer { margin-top: 4rem; border-top: 1px solid var(--line); padding-top: 1rem; }
input, button { font: inherit; padding: 0.375rem 0.625rem; }
`;
