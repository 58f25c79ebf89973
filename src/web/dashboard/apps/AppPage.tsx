import { getRouteApi, Link } from "@tanstack/react-router"
import { Option, Schema } from "effect"
import { InstallationId } from "../../../rpc/Client.ts"
import { day } from "../../data/Format.ts"
import { isMissing } from "../../data/errorMessages.ts"
import { useRpcQuery } from "../../data/queries.ts"
import { NotFoundPage } from "../../ui/ErrorPage.tsx"
import { Card, Facts, Page, Stack } from "../../ui/Page.tsx"
import { QueryBoundary } from "../../ui/QueryBoundary.tsx"
import { Tabs } from "../../ui/Tabs.tsx"
import { useStoreId } from "../Store.ts"
import { Access } from "./Access.tsx"
import { AppActions } from "./AppActions.tsx"
import css from "./Apps.module.css"
import { Billing } from "./Billing.tsx"
import { Deliveries } from "./Deliveries.tsx"
import { Requests } from "./Requests.tsx"
import { Stands } from "./Stands.tsx"
import { Webhook } from "./Webhook.tsx"
import { INSTALLATION_WORDS } from "./Words.ts"

const route = getRouteApi("/dashboard/member/$storeId/apps/$installationId")

const idOf = Schema.decodeUnknownOption(InstallationId)

const App = ({ id }: { readonly id: InstallationId }) => {
  const storeId = useStoreId()
  const query = useRpcQuery([storeId, "app", id], (client) => client.installations.get({ storeId, id }))
  if (isMissing(query.error)) return <NotFoundPage />
  const app = query.data
  return (
    <Page
      title={app?.appName ?? "App"}
      above={
        <Link to="/dashboard/$storeId/apps" params={{ storeId }}>
          ← Apps
        </Link>
      }
      actions={app === undefined ? undefined : <AppActions app={app} />}
    >
      <QueryBoundary query={query}>
        {({ capabilities, installedAt, scopes, state }) => (
          <>
            {state === "suspended" ? (
              <p className={css["note"]}>
                This app is suspended. Its requests are rejected and it receives no events until you resume it.
              </p>
            ) : undefined}
            <Card>
              <Facts
                facts={[
                  ["Status", <Stands key="status" {...INSTALLATION_WORDS[state]} />],
                  ["Installed", day(installedAt)]
                ]}
              />
            </Card>
            <Tabs
              label="App details"
              tabs={[
                { name: "Permissions", panel: <Access scopes={scopes} capabilities={capabilities} /> },
                {
                  name: "Deliveries",
                  panel: (
                    <Stack>
                      <Webhook installationId={id} />
                      <Deliveries installationId={id} />
                    </Stack>
                  )
                },
                { name: "Requests", panel: <Requests id={id} /> },
                { name: "Billing", panel: <Billing installationId={id} /> }
              ]}
            />
          </>
        )}
      </QueryBoundary>
    </Page>
  )
}

/** One app on the store. */
export const AppPage = () =>
  Option.match(idOf(route.useParams().installationId), {
    onNone: () => <NotFoundPage />,
    onSome: (id) => <App id={id} />
  })
