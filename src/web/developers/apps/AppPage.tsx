import { getRouteApi } from "@tanstack/react-router"
import { Result, Schema } from "effect"
import { useState } from "react"
import { AppId } from "../../../rpc/Client.ts"
import { isMissing } from "../../data/errorMessages.ts"
import { useRpcQuery } from "../../data/queries.ts"
import { NotFoundPage } from "../../ui/layout/ErrorPage.tsx"
import { Page } from "../../ui/layout/Page.tsx"
import { QueryBoundary } from "../../ui/display/QueryBoundary.tsx"
import { Tabs } from "../../ui/layout/Tabs.tsx"
import { type App, type AppDraft, draftOf, isChanged } from "./appDraft.ts"
import { BackToApps } from "./BackToApps.tsx"
import { ClientSecret } from "./ClientSecret.tsx"
import { Deliveries } from "./Deliveries.tsx"
import { GetStarted } from "./GetStarted.tsx"
import { Installations } from "./Installations.tsx"
import { AppSettings } from "./AppSettings.tsx"
import { UnsavedChangesGuard } from "../../ui/form/UnsavedChangesGuard.tsx"
import { WebhookPanel } from "./WebhookPanel.tsx"
import { developerTexts } from "../developerTexts.ts"

const route = getRouteApi("/developers/developer/apps/$appId")

const decodeId = Schema.decodeUnknownResult(AppId)

/** Tabs of an app. Keeps the settings form while another tab is open. */
const AppTabs = ({ app }: { readonly app: App }) => {
  const [draft, setDraft] = useState<AppDraft>()
  const isUnsaved = draft !== undefined && isChanged(app, draft)
  return (
    <>
      <Tabs
        label={developerTexts.details.tabs.label}
        tabs={[
          { name: developerTexts.details.tabs.getStarted, panel: <GetStarted app={app} base={location.origin} /> },
          {
            name: developerTexts.details.tabs.settings,
            panel: <AppSettings app={app} draft={draft ?? draftOf(app)} isUnsaved={isUnsaved} setDraft={setDraft} />
          },
          ...(app.type === "public"
            ? []
            : [{ name: developerTexts.details.tabs.secret, panel: <ClientSecret app={app} /> }]),
          { name: developerTexts.details.tabs.webhook, panel: <WebhookPanel appId={app.id} /> },
          { name: developerTexts.details.tabs.deliveries, panel: <Deliveries appId={app.id} /> },
          { name: developerTexts.details.tabs.installations, panel: <Installations appId={app.id} /> }
        ]}
      />
      <UnsavedChangesGuard isUnsaved={isUnsaved}>
        <p>{developerTexts.details.unsaved}</p>
      </UnsavedChangesGuard>
    </>
  )
}

const AppDetails = ({ appId }: { readonly appId: AppId }) => {
  const query = useRpcQuery(["app", appId], (client) => client.apps.get({ id: appId }))
  if (isMissing(query.error)) return <NotFoundPage />
  return (
    <Page title={query.data?.name ?? developerTexts.details.fallbackTitle} above={<BackToApps />}>
      <QueryBoundary query={query}>{(app) => <AppTabs app={app} />}</QueryBoundary>
    </Page>
  )
}

export const AppPage = () =>
  Result.match(decodeId(route.useParams().appId), {
    onFailure: () => <NotFoundPage />,
    onSuccess: (appId) => <AppDetails key={appId} appId={appId} />
  })
