import { useQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import { createContext, useContext, useMemo, useState } from "react"
import type { AppId } from "../../../rpc/Client.ts"
import { isMissing } from "../../shared/data/errorMessages.ts"
import { NotFoundPage, QueryBoundary } from "../../shared/ui/display/QueryBoundary.tsx"
import { Page, FIRST_TAB, TabLinks } from "../../shared/ui/layout/Page.tsx"
import { type App, type AppDraft, draftOf, isChanged } from "./appDraft.ts"
import { BackToApps } from "./BackToApps.tsx"
import { appQuery } from "./appQueries.ts"
import { UnsavedChangesGuard } from "../../shared/ui/form/SaveForm.tsx"
import { portalTexts } from "./portalTexts.ts"

const { tabs } = portalTexts.details

interface AppForm {
  readonly app: App
  readonly draft: AppDraft
  readonly isUnsaved: boolean
  readonly setDraft: (draft: AppDraft | undefined) => void
}

const OpenApp = createContext<AppForm | undefined>(undefined)

/** App of the page with the settings form, for its tabs. */
export const useApp = (): AppForm => {
  const form = useContext(OpenApp)
  if (form === undefined) throw new Error("useApp needs the page of an app around it")
  return form
}

/** Tabs of an app. Keeps the settings form while another tab is open. */
const AppTabs = ({ app }: { readonly app: App }) => {
  const [draft, setDraft] = useState<AppDraft>()
  const isUnsaved = draft !== undefined && isChanged(app, draft)
  const form = useMemo(() => ({ app, draft: draft ?? draftOf(app), isUnsaved, setDraft }), [app, draft, isUnsaved])
  const params = { appId: app.id }
  return (
    <OpenApp value={form}>
      <TabLinks label={tabs.label}>
        <Link to="/developers/apps/$appId" params={params} activeOptions={FIRST_TAB} resetScroll={false}>
          {tabs.getStarted}
        </Link>
        <Link to="/developers/apps/$appId/settings" params={params} resetScroll={false}>
          {tabs.settings}
        </Link>
        {app.type === "public" ? undefined : (
          <Link to="/developers/apps/$appId/secret" params={params} resetScroll={false}>
            {tabs.secret}
          </Link>
        )}
        <Link to="/developers/apps/$appId/webhook" params={params} resetScroll={false}>
          {tabs.webhook}
        </Link>
        <Link to="/developers/apps/$appId/deliveries" params={params} resetScroll={false}>
          {tabs.deliveries}
        </Link>
        <Link to="/developers/apps/$appId/installations" params={params} resetScroll={false}>
          {tabs.installations}
        </Link>
      </TabLinks>
      <UnsavedChangesGuard isUnsaved={isUnsaved} keptBelow={`/developers/apps/${app.id}`}>
        <p>{portalTexts.details.unsaved}</p>
      </UnsavedChangesGuard>
    </OpenApp>
  )
}

const route = getRouteApi("/developers/developer/apps/$appId")

const AppDetails = ({ appId }: { readonly appId: AppId }) => {
  const query = useQuery(appQuery(appId))
  if (isMissing(query.error)) return <NotFoundPage />
  return (
    <Page title={query.data?.name ?? portalTexts.details.fallbackTitle} above={<BackToApps />}>
      <QueryBoundary query={query}>{(app) => <AppTabs app={app} />}</QueryBoundary>
    </Page>
  )
}

/** Page of one app of a developer. */
export const AppPage = () => {
  const { appId } = route.useParams()
  return <AppDetails key={appId} appId={appId} />
}
