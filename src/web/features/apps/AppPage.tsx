import { day } from "../../shared/data/dates.ts"
import { getRouteApi } from "@tanstack/react-router"
import { Option, Schema } from "effect"
import { InstallationId } from "../../../rpc/Client.ts"
import { isMissing } from "../../shared/data/errorMessages.ts"
import { useRpcQuery } from "../../shared/data/queries.ts"
import { NotFoundPage } from "../../shared/ui/layout/ErrorPage.tsx"
import { BackLink } from "../../shared/ui/layout/BackLink.tsx"
import { Card, Facts, Page, Stack } from "../../shared/ui/layout/Page.tsx"
import { QueryBoundary } from "../../shared/ui/display/QueryBoundary.tsx"
import { Tabs } from "../../shared/ui/layout/Tabs.tsx"
import { useStoreId } from "../../shared/data/store.ts"
import { AppActions } from "./AppActions.tsx"
import css from "./Apps.module.css"
import { AppBilling } from "./AppBilling.tsx"
import { Deliveries } from "./Deliveries.tsx"
import { RecentRequests } from "./RecentRequests.tsx"
import { WebhookCard } from "./WebhookCard.tsx"
import { installationLabels } from "./appStatus.ts"
import type { Grants } from "../../../domain/access/AccessRule.ts"
import { ALWAYS_GRANTED, GRANT_DESCRIPTIONS } from "../../../domain/access/GrantDescriptions.ts"
import { StatusBadge } from "../../shared/ui/display/Badge.tsx"
import { appTexts } from "./appTexts.ts"

/** Permissions of the app, in the words of the consent page. */
const AppPermissions = ({ capabilities, scopes }: Grants) => (
  <Card title={appTexts.details.tabs.permissions}>
    <ul className={css["grants"]}>
      {[ALWAYS_GRANTED, ...[...scopes, ...capabilities].map((name) => GRANT_DESCRIPTIONS[name])].map(
        ({ text, title, warning }) => (
          <li key={title}>
            <h3>{title}</h3>
            <p className={css["quiet"]}>{text}</p>
            {warning === undefined ? undefined : <p className={css["warning"]}>{warning}</p>}
          </li>
        )
      )}
    </ul>
  </Card>
)

const route = getRouteApi("/dashboard/member/$storeId/apps/$installationId")

const idOf = Schema.decodeUnknownOption(InstallationId)

const AppDetails = ({ id }: { readonly id: InstallationId }) => {
  const storeId = useStoreId()
  const query = useRpcQuery([storeId, "app", id], (client) => client.installations.get({ storeId, id }))
  if (isMissing(query.error)) return <NotFoundPage />
  const app = query.data
  return (
    <Page
      title={app?.appName ?? appTexts.details.fallbackTitle}
      above={
        <BackLink to="/dashboard/$storeId/apps" params={{ storeId }}>
          {appTexts.details.back}
        </BackLink>
      }
      actions={app === undefined ? undefined : <AppActions app={app} />}
    >
      <QueryBoundary query={query}>
        {({ capabilities, installedAt, scopes, state }) => (
          <>
            {state === "suspended" ? <p className={css["note"]}>{appTexts.details.suspended}</p> : undefined}
            <Card>
              <Facts
                facts={[
                  [appTexts.details.status, <StatusBadge key="status" {...installationLabels[state]} />],
                  [appTexts.details.installed, day(installedAt)]
                ]}
              />
            </Card>
            <Tabs
              label={appTexts.details.tabs.label}
              tabs={[
                {
                  name: appTexts.details.tabs.permissions,
                  panel: <AppPermissions scopes={scopes} capabilities={capabilities} />
                },
                {
                  name: appTexts.details.tabs.deliveries,
                  panel: (
                    <Stack>
                      <WebhookCard installationId={id} />
                      <Deliveries installationId={id} />
                    </Stack>
                  )
                },
                { name: appTexts.details.tabs.requests, panel: <RecentRequests id={id} /> },
                { name: appTexts.details.tabs.billing, panel: <AppBilling installationId={id} /> }
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
