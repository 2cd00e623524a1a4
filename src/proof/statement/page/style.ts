/** Without images and fonts of its own; the colours are those of the console. */
export const STYLE = `
:root { color-scheme: light dark; --paper: #fbfaf7; --sheet: #fff; --ink: #1c1b18; --soft: #5e5a52; --line: #e4e0d7; --hair: #efece5;
  --strip: #7fb593; --ok: #2c7a4b; --bad: #b3261e; --wash: #fdf1ef; --plan: #2b5fa8; --hatch: #8a857a; --accent: #1f4e5f; }
@media screen and (prefers-color-scheme: dark) {
  :root { --paper: #141412; --sheet: #1b1b18; --ink: #ece9e1; --soft: #aaa59a; --line: #33312c; --hair: #262520;
    --strip: #3f7d59; --ok: #6fc08f; --bad: #ff8a80; --wash: #2a1917; --plan: #86b3f0; --hatch: #7f7a70; --accent: #8cc3d6; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 32px 24px 64px; max-width: 808px; background: var(--paper); color: var(--ink);
  font: 14px/1.45 system-ui, sans-serif; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
header { display: flex; justify-content: space-between; padding-bottom: 12px; border-bottom: 1px solid var(--line); color: var(--soft); }
header b { color: var(--ink); }
h1 { margin: 24px 0 4px; font-size: 22px; line-height: 1.25; font-weight: 600; }
h2 { margin: 32px 0 8px; font-size: 14px; font-weight: 600; }
h3 { margin: 16px 0 4px; font-size: 12px; font-weight: 600; color: var(--soft); }
p, ul { margin: 0 0 8px; max-width: 68ch; }
ul { padding-left: 20px; }
.soft, figcaption { color: var(--soft); }
.met { color: var(--ok); } .missed { color: var(--bad); }
.verdict { margin: 16px 0 0; padding: 12px 16px; max-width: none; border: 1px solid var(--line); border-radius: 6px; background: var(--sheet); }
.verdict b { font-weight: 600; } .verdict ul { margin: 4px 0 0; color: var(--soft); font-size: 12px; }
.verdict.equal b { color: var(--ok); } .verdict.different { border-color: var(--bad); background: var(--wash); }
.verdict.different b { color: var(--bad); }
figure { margin: 0; } svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--soft); font-size: 10px; }
.up { fill: var(--strip); } .down, .timeout { fill: var(--bad); } .plan { fill: var(--plan); } .blank { fill: var(--sheet); }
.hatch { stroke: var(--hatch); stroke-width: 1; } .rule { stroke: var(--line); stroke-width: 1; }
.key { display: inline-block; width: 16px; height: 10px; margin-right: 4px; vertical-align: -1px; }
figcaption span { margin-right: 16px; white-space: nowrap; } figcaption { margin-top: 4px; font-size: 12px; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 6px 16px 6px 0; border-bottom: 1px solid var(--hair); text-align: left; vertical-align: top; font-weight: 400; }
thead th { color: var(--soft); font-size: 12px; border-bottom-color: var(--line); }
th:last-child, td:last-child { padding-right: 0; }
.n { text-align: right; white-space: nowrap; } .main td { font-size: 22px; font-weight: 600; }
.t { white-space: nowrap; } .fine, .fine td { font-size: 12px; }
code, pre { font: 12px/1.45 ui-monospace, monospace; } pre { margin: 0 0 8px; white-space: pre-wrap; }
td code { font-size: 10px; color: var(--soft); }
@media screen and (max-width: 520px) { body { padding: 24px 16px 48px; } table { display: block; overflow-x: auto; } }
@page { size: A4; margin: 14mm; }
@media print {
  body { max-width: none; padding: 0; background: none; font-size: 11px; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  h2, h3, thead { break-after: avoid; } tr, figure, .verdict { break-inside: avoid; } thead { display: table-header-group; }
  td code { font-size: 8px; } .fine, .fine td { font-size: 9px; } th, td { padding-top: 3px; padding-bottom: 3px; }
}
`;
