import { Equal, Predicate, type Result } from "effect"
import type { DevelopedApp } from "../../../domain/access/Developers.ts"
import type { Capability } from "../../../domain/access/Capability.ts"
import type { Scope } from "../../../domain/access/Scope.ts"
import type { BadRequest } from "../../../domain/BadRequest.ts"
import { decodeWith } from "../../../domain/Decoder.ts"
import { AppPatch, NewApp } from "../../../rpc/Client.ts"
import { type Problems, fieldProblemsOf } from "../../data/fieldProblems.ts"

export type App = typeof DevelopedApp.Type

/** An app as it stands in its form: text as it was typed. */
export interface AppDraft {
  readonly name: string
  readonly website: string
  readonly logoUrl: string
  /** One a line. */
  readonly redirectUris: string
  readonly scopes: ReadonlyArray<Scope>
  readonly capabilities: ReadonlyArray<Capability>
}

export const EMPTY_DRAFT: AppDraft = {
  name: "",
  website: "",
  logoUrl: "",
  redirectUris: "",
  scopes: ["read_products"],
  capabilities: []
}

export const draftOf = ({ capabilities, logoUrl, name, redirectUris, scopes, website }: App): AppDraft => ({
  name,
  website: website ?? "",
  logoUrl: logoUrl ?? "",
  redirectUris: redirectUris.join("\n"),
  scopes,
  capabilities
})

const orNull = (text: string) => (text.trim() === "" ? null : text.trim())

const lines = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

/** What the form says, as the service takes it: it judges it. */
const toSettings = ({ capabilities, logoUrl, name, redirectUris, scopes, website }: AppDraft) => ({
  name: name.trim(),
  website: orNull(website),
  logoUrl: orNull(logoUrl),
  redirectUris: lines(redirectUris),
  scopes,
  capabilities
})

const decodeNew = decodeWith(NewApp)
const decodePatch = decodeWith(AppPatch)

/** What registers the app of a form, or what is wrong with it. */
export const parseNewApp = (draft: AppDraft, type: NewApp["type"]): Result.Result<NewApp, BadRequest> =>
  decodeNew({ type, ...toSettings(draft) }, true)

/** What makes of an app what its form says, or what is wrong with that. */
export const parsePatch = (draft: AppDraft): Result.Result<AppPatch, BadRequest> => decodePatch(toSettings(draft), true)

/** Whether the form says another thing than the app does, in whatever order its lists are. */
export const isChanged = (app: App, draft: AppDraft): boolean => {
  const inOrder = (one: ReturnType<typeof toSettings>) => ({
    ...one,
    scopes: one.scopes.toSorted(),
    capabilities: one.capabilities.toSorted()
  })
  return !Equal.equals(inOrder(toSettings(draftOf(app))), inOrder(toSettings(draft)))
}

/** What was refused, by field. */
export const problemsIn = (error: unknown): Problems =>
  Predicate.isTagged(error, "RedirectUriRefused") && error instanceof Error
    ? { redirectUris: error.message }
    : fieldProblemsOf(error)
