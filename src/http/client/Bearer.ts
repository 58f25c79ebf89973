import { type OAuthApp, type OAuthRequestOptions, refreshToken, type TokenSet } from "./OAuth.ts"

/** Where the tokens of an installation are kept, and as which app they are renewed. */
export interface TokenStore {
  readonly app: OAuthApp
  /** The tokens as they were last kept, whichever process kept them. */
  readonly load: () =>
    Pick<TokenSet, "accessToken" | "refreshToken"> | Promise<Pick<TokenSet, "accessToken" | "refreshToken">>
  /**
   * Keeps new tokens in place of those before, which are used up. The calls that wait for them go on when it is done; where
   * it fails so do they, and it is called again before the next call.
   */
  readonly save: (tokens: TokenSet) => void | Promise<void>
}

/** The access token that calls carry. */
export interface Bearer {
  readonly current: () => Promise<string>
  /** The token to go on with when the service took this one no longer, or undefined where there is none. */
  readonly renew: (refused: string) => Promise<string | undefined>
}

/** A token that somebody else renews. */
const fixed = (token: string): Bearer => ({ current: async () => token, renew: async () => undefined })

/** Tokens that are renewed: by one request, however many calls were refused at once. */
const renewed = (store: TokenStore, options: OAuthRequestOptions): Bearer => {
  let known: string | undefined
  let unsaved: TokenSet | undefined
  let flight: Promise<string> | undefined

  const save = async () => {
    if (unsaved === undefined) return
    const tokens = unsaved
    await store.save(tokens)
    if (unsaved === tokens) unsaved = undefined
  }

  /** Another process may have renewed them already: its tokens are as good, and its refresh token the only one that is. */
  const renewNow = async (refused: string) => {
    const kept = unsaved ?? (await store.load())
    if (kept.accessToken === refused) {
      unsaved = await refreshToken(store.app, kept.refreshToken, options)
      known = unsaved.accessToken
    } else known = kept.accessToken
    await save()
    return known
  }

  return {
    current: async () => {
      await save()
      known ??= (await store.load()).accessToken
      return known
    },
    renew: (refused) => {
      flight ??= renewNow(refused).finally(() => {
        flight = undefined
      })
      return flight
    }
  }
}

export const bearerOf = (tokens: string | TokenStore, options: OAuthRequestOptions): Bearer =>
  typeof tokens === "string" ? fixed(tokens) : renewed(tokens, options)
