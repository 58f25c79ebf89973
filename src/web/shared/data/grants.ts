import { GRANT_DESCRIPTIONS } from "../../../domain/access/GrantDescriptions.ts"
import { language } from "./language.ts"

/** Descriptions of scopes and capabilities in the language of the pages. */
export const { always: alwaysGranted, grants: grantDescriptions } = GRANT_DESCRIPTIONS[language]
