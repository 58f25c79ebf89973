import type { App } from "./appDraft.ts"

/* Commands and code that lead an app to its first API response (docs/oauth.md, docs/sdk.md). */

/** Quotes text for a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

export interface Steps {
  readonly values: string
  readonly authorize: string
  readonly exchange: string
  readonly request: string
  readonly sdk: string
}

/** `base` is the origin of the service. `redirectUri` must be registered. */
export const stepsOf = ({ id, name, scopes, type }: App, base: string, redirectUri: string): Steps => {
  const isPublic = type === "public"
  const clientSecret = isPublic ? "" : ' -d "client_secret=$client_secret"'
  const query = new URLSearchParams({ response_type: "code", client_id: id, redirect_uri: redirectUri })
  if (scopes.length > 0) query.set("scope", scopes.join(" "))
  return {
    values: [
      `base=${quoted(base)}`,
      `client_id=${quoted(id)}`,
      ...(isPublic ? [] : ["client_secret='app_secret_…' # shown when you registered the app"]),
      `redirect_uri=${quoted(redirectUri)}`
    ].join("\n"),
    authorize: [
      "verifier=$(openssl rand -hex 32)",
      'challenge=$(printf %s "$verifier" | openssl dgst -sha256 -binary | basenc --base64url | tr -d =)',
      "state=$(openssl rand -hex 16)",
      `echo "$base/oauth/authorize?${query}&state=$state&code_challenge=$challenge&code_challenge_method=S256"`
    ].join("\n"),
    exchange: [
      "code='…' # the code parameter of the address",
      'tokens=$(curl -s "$base/oauth/token" -d grant_type=authorization_code -d "code=$code" \\',
      '  --data-urlencode "redirect_uri=$redirect_uri" -d "code_verifier=$verifier" \\',
      `  -d "client_id=$client_id"${clientSecret})`,
      'echo "$tokens"',
      `access_token=$(printf %s "$tokens" | sed -n 's/.*"access_token": *"\\([^"]*\\)".*/\\1/p')`
    ].join("\n"),
    request: 'curl -s "$base/api/platform/v1/store" -H "Authorization: Bearer $access_token"',
    sdk: [
      'import { authorizationUrl, createClient, exchangeCode, generatePkce } from "partner-api/client"',
      "",
      `// ${name.replaceAll(/\s+/g, " ")}`,
      "const app = {",
      `  url: ${JSON.stringify(base)},`,
      `  clientId: ${JSON.stringify(id)},`,
      ...(isPublic ? [] : ["  clientSecret, // load it from the secret store of your server"]),
      `  redirectUri: ${JSON.stringify(redirectUri)}`,
      "}",
      "",
      "// to start: keep state and verifier in the session, and redirect the merchant to the address",
      "const { challenge, verifier } = await generatePkce()",
      "const state = crypto.randomUUID()",
      "const address = authorizationUrl(app, { challenge, state })",
      "",
      "// at the redirect URI: callback is the address that was opened",
      "const tokens = await exchangeCode(app, { callback, state, verifier })",
      "",
      "const client = createClient({ url: app.url, tokens: tokens.accessToken })",
      "const { data: store } = await client.store.get()",
      "console.log(store.name)"
    ].join("\n")
  }
}
