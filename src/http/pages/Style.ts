import { hash } from "node:crypto"
import { html } from "./Html.ts"

/**
 * The styles of all pages: light and dark, from a width of 320 px. They are inline, because pages are seen rarely and a
 * second request would cost more than these 4 KB.
 */
export const STYLE = html`<style>
  :root {
    color-scheme: light dark;
    --ground: #f5f6f8;
    --card: #ffffff;
    --text: #1b1f24;
    --muted: #57606c;
    --line: #dfe3e8;
    --edge: #7d8692;
    --accent: #1d5bd0;
    --accent-strong: #174bad;
    --on-accent: #ffffff;
    --alert: #a4231b;
    --alert-ground: #fdeeec;
    --new: #1b6b3a;
    --new-ground: #e7f5ec;
  }
  @media (prefers-color-scheme: dark) {
    :root {
      --ground: #0f1114;
      --card: #181b20;
      --text: #e9ebee;
      --muted: #a5adb8;
      --line: #2d323a;
      --edge: #7b8492;
      --accent: #8fb6ff;
      --accent-strong: #b1ccff;
      --on-accent: #0c1a33;
      --alert: #ffb3aa;
      --alert-ground: #391a17;
      --new: #8bdba7;
      --new-ground: #15301f;
    }
  }
  * {
    box-sizing: border-box;
  }
  body {
    margin: 0;
    min-height: 100vh;
    padding: 24px 16px;
    background: var(--ground);
    color: var(--text);
    font:
      16px/1.5 system-ui,
      sans-serif;
    overflow-wrap: anywhere;
  }
  main,
  footer {
    max-width: 480px;
    margin: 0 auto;
  }
  main {
    padding: 32px;
    background: var(--card);
    border: 1px solid var(--line);
    border-radius: 12px;
  }
  footer {
    padding: 16px 32px;
    color: var(--muted);
    font-size: 14px;
    text-align: center;
  }
  footer p {
    margin: 0 0 8px;
  }
  footer form {
    display: inline-block;
  }
  footer a + form {
    margin-left: 16px;
  }
  h1 {
    margin: 0 0 8px;
    font-size: 22px;
    line-height: 1.3;
    font-weight: 650;
    text-wrap: balance;
  }
  h2 {
    margin: 24px 0 4px;
    font-size: 14px;
    font-weight: 600;
    color: var(--muted);
  }
  p {
    margin: 0 0 16px;
  }
  a {
    color: var(--accent);
  }
  .quiet {
    color: var(--muted);
    font-size: 14px;
  }
  .monogram {
    width: 48px;
    height: 48px;
    margin-bottom: 16px;
    border-radius: 12px;
    background: var(--accent);
    color: var(--on-accent);
    font-size: 22px;
    font-weight: 650;
    line-height: 48px;
    text-align: center;
  }
  .alert {
    padding: 12px 16px;
    border-radius: 8px;
    background: var(--alert-ground);
    color: var(--alert);
    font-size: 14px;
  }
  .rows {
    margin: 0 0 16px;
    padding: 0;
    list-style: none;
  }
  .rows li {
    padding: 12px 0;
    border-bottom: 1px solid var(--line);
  }
  .rows p {
    margin: 0;
    color: var(--muted);
    font-size: 14px;
  }
  .rows .warning {
    color: var(--alert);
  }
  .rows .new {
    margin-left: 8px;
    padding: 1px 8px;
    border-radius: 99px;
    background: var(--new-ground);
    color: var(--new);
    font-size: 12px;
    font-weight: 600;
  }
  .rows a {
    display: block;
    margin: -12px 0;
    padding: 12px 0;
    color: inherit;
    text-decoration: none;
  }
  .rows a::after {
    content: "›";
    float: right;
    color: var(--muted);
  }
  .rows a:hover strong {
    text-decoration: underline;
  }
  label {
    display: block;
    margin-bottom: 4px;
    font-size: 14px;
    font-weight: 600;
  }
  input {
    display: block;
    width: 100%;
    min-height: 44px;
    margin-bottom: 16px;
    padding: 8px 12px;
    border: 1px solid var(--edge);
    border-radius: 8px;
    background: var(--card);
    color: inherit;
    font: inherit;
  }
  select {
    width: 100%;
    min-height: 44px;
    margin-bottom: 16px;
    padding: 8px 12px;
    border: 1px solid var(--edge);
    border-radius: 8px;
    background: var(--card);
    color: inherit;
    font: inherit;
  }
  .choice {
    display: flex;
    gap: 12px;
    align-items: center;
    margin: 0;
    font-size: 16px;
  }
  .choice input {
    flex: none;
    width: 20px;
    min-height: 24px;
    margin: 0;
    accent-color: var(--accent);
  }
  input[aria-invalid] {
    border-color: var(--alert);
  }
  .reason {
    margin: -12px 0 16px;
    color: var(--alert);
    font-size: 14px;
  }
  .actions {
    display: flex;
    flex-wrap: wrap;
    gap: 12px;
    margin: 24px 0 16px;
  }
  button,
  .button {
    flex: 1;
    min-height: 44px;
    padding: 8px 16px;
    border: 1px solid var(--edge);
    border-radius: 8px;
    background: var(--card);
    color: var(--text);
    font: inherit;
    font-weight: 600;
    text-align: center;
    text-decoration: none;
    cursor: pointer;
  }
  button:hover,
  .button:hover {
    border-color: var(--text);
  }
  .primary {
    border-color: var(--accent);
    background: var(--accent);
    color: var(--on-accent);
  }
  .primary:hover {
    border-color: var(--accent-strong);
    background: var(--accent-strong);
  }
  .link {
    min-height: 24px;
    padding: 0;
    border: 0;
    background: none;
    color: var(--accent);
    font-weight: 400;
    text-decoration: underline;
  }
  :focus-visible {
    outline: 3px solid var(--accent);
    outline-offset: 2px;
  }
  code {
    font-size: 13px;
  }
  @media (max-width: 480px) {
    body {
      padding: 0;
      background: var(--card);
    }
    main {
      padding: 24px 16px;
      border: 0;
      border-radius: 0;
    }
    footer {
      padding: 16px;
    }
  }
</style>`

/** The `style-src` of the Content-Security-Policy: the hash of the style element's text. */
export const STYLE_SOURCE = `'sha256-${hash("sha256", STYLE.text.replaceAll(/<\/?style>/g, ""), "base64")}'`
