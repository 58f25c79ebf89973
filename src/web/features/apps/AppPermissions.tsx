import { useQuery } from "@tanstack/react-query"
import { ALWAYS_GRANTED, GRANT_DESCRIPTIONS } from "../../../domain/access/GrantDescriptions.ts"
import { QueryBoundary } from "../../shared/ui/display/QueryBoundary.tsx"
import { Card } from "../../shared/ui/layout/Page.tsx"
import { useStoreId } from "../../shared/data/store.ts"
import { installationQuery, useInstallationId } from "./appQueries.ts"
import css from "./Apps.module.css"
import { appTexts } from "./appTexts.ts"

/** Permissions of the app, in the words of the consent page. */
export const AppPermissions = () => {
  const query = useQuery(installationQuery({ storeId: useStoreId(), installationId: useInstallationId() }))
  return (
    <Card title={appTexts.details.tabs.permissions}>
      <QueryBoundary query={query}>
        {({ capabilities, scopes }) => (
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
        )}
      </QueryBoundary>
    </Card>
  )
}
