import { getRouteApi, Link } from "@tanstack/react-router"
import { Option, Schema } from "effect"
import { InstallationId } from "../../../rpc/Client.ts"
import { day } from "../../data/format.ts"
import { isMissing } from "../../data/errorMessages.ts"
import { useRpcQuery } from "../../data/queries.ts"
import { NotFoundPage } from "../../ui/ErrorPage.tsx"
import { Card, Facts, Page, Stack } from "../../ui/Page.tsx"
import { QueryBoundary } from "../../ui/QueryBoundary.tsx"
import { Tabs } from "../../ui/Tabs.tsx"
import { useStoreId } from "../store.ts"
import { AppPermissions } from "./AppPermissions.tsx"
import { AppActions } from "./AppActions.tsx"
import css from "./Apps.module.css"
import { AppBilling } from "./AppBilling.tsx"
import { Deliveries } from "./Deliveries.tsx"
import { RecentRequests } from "./RecentRequests.tsx"
import { StatusBadge } from "../../ui/StatusBadge.tsx"
import { WebhookCard } from "./WebhookCard.tsx"
import { installationLabels } from "./appLabels.ts"

const route = getRouteApi("/dashboard/member/$storeId/apps/$installationId")

const idOf = Schema.decodeUnknownOption(InstallationId)

const AppDetails = ({ id }: { readonly id: InstallationId }) => {
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
                  ["Status", <StatusBadge key="status" {...installationLabels[state]} />],
                  ["Installed", day(installedAt)]
                ]}
              />
            </Card>
            <Tabs
              label="App details"
              tabs={[
                { name: "Permissions", panel: <AppPermissions scopes={scopes} capabilities={capabilities} /> },
                {
                  name: "Deliveries",
                  panel: (
                    <Stack>
                      <WebhookCard installationId={id} />
                      <Deliveries installationId={id} />
                    </Stack>
                  )
                },
                { name: "Requests", panel: <RecentRequests id={id} /> },
                { name: "Billing", panel: <AppBilling installationId={id} /> }
              ]}
            />
          </>
        )}
      </QueryBoundary>
    </Page>
  )
}

/** Page of one installed app. */
export const AppPage = () =>
  Option.match(idOf(route.useParams().installationId), {
    onNone: () => <NotFoundPage />,
    onSome: (id) => <AppDetails id={id} />
  })
