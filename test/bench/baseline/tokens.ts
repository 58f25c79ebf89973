import { Provider } from "oidc-provider"
import { CLIENT, SCOPE } from "../load/tokenRequests.ts"
import { makePool } from "./database.ts"
import { setting } from "./settings.ts"
import { adapterOn, PAYLOADS } from "./tokenAdapter.ts"

/*
 * Baseline of token requests: `oidc-provider` with opaque tokens, PKCE and rotating refresh tokens. Its client is
 * configured statically, so it needs no query.
 */

const pool = makePool(setting("DATABASE_URL"), Number(setting("DATABASE_POOL_SIZE")))
await pool.query(PAYLOADS)

const port = Number(setting("PORT"))
const provider = new Provider(`http://${setting("HOST")}:${port}`, {
  adapter: adapterOn(pool),
  clients: [
    {
      client_id: CLIENT.id,
      client_secret: CLIENT.secret,
      redirect_uris: [CLIENT.redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      token_endpoint_auth_method: "client_secret_post"
    }
  ],
  cookies: { keys: ["bench"] },
  features: { devInteractions: { enabled: false } },
  findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  issueRefreshToken: () => true,
  pkce: { required: () => true },
  rotateRefreshToken: true,
  routes: { token: "/oauth/token" },
  scopes: [SCOPE],
  ttl: { AccessToken: 60 * 60, RefreshToken: 90 * 24 * 60 * 60 }
})
const server = provider.listen(port, setting("HOST"))

process.on("SIGTERM", () => {
  server.close(() => void pool.end())
})
