import { DEFAULT_LIMIT, type PageRequest } from "../../domain/Page.ts"
import type { VersionCondition } from "../../domain/Version.ts"

interface Paged<Id> {
  readonly cursor?: Id
  readonly limit?: number
}

/** Which page a payload asks for. */
export const requestOf = <Id>({ cursor, limit = DEFAULT_LIMIT }: Paged<Id>): PageRequest<Id> => ({ cursor, limit })

/** Which versions a payload lets its write replace. */
export const conditionOf = ({ expectedVersion }: { readonly expectedVersion?: number }): VersionCondition =>
  expectedVersion === undefined ? "any" : [expectedVersion]
