import { getRouteApi } from "@tanstack/react-router"
import { Result, Schema } from "effect"
import { useState } from "react"
import { AppId } from "../../../rpc/Client.ts"
import { isMissing } from "../../shared/data/errorMessages.ts"
import { useRpcQuery } from "../../shared/data/queries.ts"
import { NotFoundPage } from "../../shared/ui/layout/ErrorPage.tsx"
import { Page } from "../../shared/ui/layout/Page.tsx"
import { QueryBoundary } from "../../shared/ui/display/QueryBoundary.tsx"
import { Tabs } from "../../shared/ui/layout/Tabs.tsx"
import { type App, type AppDraft, draftOf, isChanged } from "./appDraft.ts"
import { BackToApps } from "./BackToApps.tsx"
import { ClientSecret } from "./ClientSecret.tsx"
import { Deliveries } from "./Deliveries.tsx"
import { GetStarted } from "./GetStarted.tsx"
import { Installations } from "./Installations.tsx"
import { AppSettings } from "./AppSettings.tsx"
import { UnsavedChangesGuard } from "../../shared/ui/form/UnsavedChangesGuard.tsx"
import { WebhookPanel } from "./WebhookPanel.tsx"
import { portalTexts } from "./portalTexts.ts"

const route = getRouteApi("/developers/developer/apps/$appId")

const decodeId = Schema.decodeUnknownResult(AppId)

/** Tabs of an app. Keeps the settings form while another tab is open. */
const AppTabs = ({ app }: { readonly app: App }) => {
  const [draft, setDraft] = useState<AppDraft>()
  const isUnsaved = draft !== undefined && isChanged(app, draft)
  return (
    <>
      <Tabs
        label={portalTexts.details.tabs.label}
        tabs={[
          { name: portalTexts.details.tabs.getStarted, panel: <GetStarted app={app} base={location.origin} /> },
          {
            name: portalTexts.details.tabs.settings,
            panel: <AppSettings app={app} draft={draft ?? draftOf(app)} isUnsaved={isUnsaved} setDraft={setDraft} />
          },
          ...(app.type === "public"
            ? []
            : [{ name: portalTexts.details.tabs.secret, panel: <ClientSecret app={app} /> }]),
          { name: portalTexts.details.tabs.webhook, panel: <WebhookPanel appId={app.id} /> },
          { name: portalTexts.details.tabs.deliveries, panel: <Deliveries appId={app.id} /> },
          { name: portalTexts.details.tabs.installations, panel: <Installations appId={app.id} /> }
        ]}
      />
      <UnsavedChangesGuard isUnsaved={isUnsaved}>
        <p>{portalTexts.details.unsaved}</p>
      </UnsavedChangesGuard>
    </>
  )
}

const AppDetails = ({ appId }: { readonly appId: AppId }) => {
  const query = useRpcQuery(["app", appId], (client) => client.apps.get({ id: appId }))
  if (isMissing(query.error)) return <NotFoundPage />
  return (
    <Page title={query.data?.name ?? portalTexts.details.fallbackTitle} above={<BackToApps />}>
      <QueryBoundary query={query}>{(app) => <AppTabs app={app} />}</QueryBoundary>
    </Page>
  )
}

export const AppPage = () =>
  Result.match(decodeId(route.useParams().appId), {
    onFailure: () => <NotFoundPage />,
    onSuccess: (appId) => <AppDetails key={appId} appId={appId} />
  })
