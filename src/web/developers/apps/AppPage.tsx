import { getRouteApi } from "@tanstack/react-router"
import { Result, Schema } from "effect"
import { useState } from "react"
import { AppId } from "../../../rpc/Client.ts"
import { isMissing } from "../../data/errorMessages.ts"
import { useRpcQuery } from "../../data/queries.ts"
import { NotFoundPage } from "../../ui/ErrorPage.tsx"
import { Page } from "../../ui/Page.tsx"
import { QueryBoundary } from "../../ui/QueryBoundary.tsx"
import { Tabs } from "../../ui/Tabs.tsx"
import { type App, type AppDraft, draftOf, isChanged } from "./AppDraft.ts"
import { Back } from "./Back.tsx"
import { ClientSecret } from "./ClientSecret.tsx"
import { Deliveries } from "./Deliveries.tsx"
import { FirstSteps } from "./FirstSteps.tsx"
import { Installations } from "./Installations.tsx"
import { Settings } from "./Settings.tsx"
import { UnsavedChangesGuard } from "../../ui/UnsavedChangesGuard.tsx"
import { WebhookPanel } from "./Webhook.tsx"

const route = getRouteApi("/developers/developer/apps/$appId")

const decodeId = Schema.decodeUnknownResult(AppId)

/** Its tabs. What is typed in its settings stays while another tab is looked at. */
const Parts = ({ app }: { readonly app: App }) => {
  const [draft, setDraft] = useState<AppDraft>()
  const isUnsaved = draft !== undefined && isChanged(app, draft)
  return (
    <>
      <Tabs
        label="App details"
        tabs={[
          { name: "Get started", panel: <FirstSteps app={app} base={location.origin} /> },
          {
            name: "Settings",
            panel: <Settings app={app} draft={draft ?? draftOf(app)} isUnsaved={isUnsaved} setDraft={setDraft} />
          },
          ...(app.type === "public" ? [] : [{ name: "Client secret", panel: <ClientSecret app={app} /> }]),
          { name: "Webhook", panel: <WebhookPanel appId={app.id} /> },
          { name: "Deliveries", panel: <Deliveries appId={app.id} /> },
          { name: "Installations", panel: <Installations appId={app.id} /> }
        ]}
      />
      <UnsavedChangesGuard isUnsaved={isUnsaved}>
        <p>Your changes to the app settings are not saved and will be lost.</p>
      </UnsavedChangesGuard>
    </>
  )
}

const Known = ({ appId }: { readonly appId: AppId }) => {
  const query = useRpcQuery(["app", appId], (client) => client.apps.get({ id: appId }))
  if (isMissing(query.error)) return <NotFoundPage />
  return (
    <Page title={query.data?.name ?? "App"} above={<Back />}>
      <QueryBoundary query={query}>{(app) => <Parts app={app} />}</QueryBoundary>
    </Page>
  )
}

/** One app. */
export const AppPage = () =>
  Result.match(decodeId(route.useParams().appId), {
    onFailure: () => <NotFoundPage />,
    onSuccess: (appId) => <Known key={appId} appId={appId} />
  })
