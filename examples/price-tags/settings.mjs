import { readFileSync } from "node:fs"

/* Which app this is, and where the service is: what the environment says, else what the running demo has made ready. */

const demo = () => {
  try {
    return JSON.parse(readFileSync(new URL("../../.data/demo.json", import.meta.url), "utf8"))
  } catch {
    return {}
  }
}

const { baseUrl, exampleClientId, exampleWebhookSecret } = demo()

const required = (name, value) => {
  if (value === undefined || value === "") throw new Error(`${name} is not set, and no demo runs: npm start in ../..`)
  return value
}

export const port = Number(process.env.PORT ?? 4100)
export const origin = `http://127.0.0.1:${port}`

/** As it was registered. One with a server of its own is usually confidential, and has a secret. */
export const app = {
  url: required("PARTNER_API_URL", process.env.PARTNER_API_URL ?? baseUrl),
  clientId: required("CLIENT_ID", process.env.CLIENT_ID ?? exampleClientId),
  clientSecret: process.env.CLIENT_SECRET,
  redirectUri: `${origin}/callback`
}

export const webhookSecret = required("WEBHOOK_SECRET", process.env.WEBHOOK_SECRET ?? exampleWebhookSecret)

/** The file that the tokens are kept in. A real app keeps them in its database, encrypted, for each store. */
export const tokenFile = process.env.TOKEN_FILE ?? new URL(".tokens.json", import.meta.url)
