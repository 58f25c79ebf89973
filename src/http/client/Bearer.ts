import { type OAuthApp, type OAuthRequestOptions, refreshToken, type TokenSet } from "./OAuth.ts"

/** Storage for the tokens of an installation, and the app that refreshes them. */
export interface TokenStore {
  readonly app: OAuthApp
  /** Loads the tokens that any process saved last. */
  readonly load: () =>
    Pick<TokenSet, "accessToken" | "refreshToken"> | Promise<Pick<TokenSet, "accessToken" | "refreshToken">>
  /**
   * Replaces the tokens. Calls that need them continue after it completes. If it fails, these calls fail too, and it is
   * called again before the next call.
   */
  readonly save: (tokens: TokenSet) => void | Promise<void>
}

/** The source of the access token of calls. */
export interface Bearer {
  readonly current: () => Promise<string>
  /** Returns a new token after `refused` got 401, or undefined if it cannot be refreshed. */
  readonly renew: (refused: string) => Promise<string | undefined>
}

/** Makes the source of a token that the caller refreshes. */
const makeFixed = (token: string): Bearer => ({ current: async () => token, renew: async () => undefined })

/** Makes the source of refreshed tokens. Concurrent calls share one refresh. */
const makeRefreshed = (store: TokenStore, options: OAuthRequestOptions): Bearer => {
  let current: string | undefined
  let unsaved: TokenSet | undefined
  let refresh: Promise<string> | undefined

  const save = async () => {
    if (unsaved === undefined) return
    const tokens = unsaved
    await store.save(tokens)
    if (unsaved === tokens) unsaved = undefined
  }

  /** Refreshes the tokens, unless another process has done so. Then only its refresh token is still valid. */
  const renewTokens = async (refused: string) => {
    const stored = unsaved ?? (await store.load())
    if (stored.accessToken === refused) {
      unsaved = await refreshToken(store.app, stored.refreshToken, options)
      current = unsaved.accessToken
    } else current = stored.accessToken
    await save()
    return current
  }

  return {
    current: async () => {
      await save()
      current ??= (await store.load()).accessToken
      return current
    },
    renew: (refused) => {
      refresh ??= renewTokens(refused).finally(() => {
        refresh = undefined
      })
      return refresh
    }
  }
}

/** Makes the source of the access token. */
export const makeBearer = (tokens: string | TokenStore, options: OAuthRequestOptions): Bearer =>
  typeof tokens === "string" ? makeFixed(tokens) : makeRefreshed(tokens, options)
