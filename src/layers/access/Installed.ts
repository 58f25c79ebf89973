import { time } from "../Times.ts"

/*
 * Installations that are there, in SQL: of a table `installations` that is called `i`. An app that is uninstalled keeps its
 * row, for who installs it again. A process of the release before does that without a word of it.
 */

export const INSTALLED = "(i.is_active or i.uninstalled_at is null)"

/** An installation as members of the store see it, as JSON. Its app is `a`. */
export const INSTALLED_APP = `
  json_build_object(
    'id', i.id, 'appId', i.app_id, 'appName', a.name, 'scopes', i.scopes, 'capabilities', i.capabilities,
    'isActive', i.is_active, 'installedAt', ${time("coalesce(i.installed_at, i.created_at)")}
  )::text
`
