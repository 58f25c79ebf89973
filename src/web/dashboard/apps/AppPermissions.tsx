import type { Grants } from "../../../domain/access/AccessRule.ts"
import { ALWAYS_GRANTED, GRANT_WORDS } from "../../../domain/access/GrantWords.ts"
import { Card } from "../../ui/Page.tsx"
import css from "./Apps.module.css"

/** Permissions of the app, in the words of the consent page. */
export const AppPermissions = ({ capabilities, scopes }: Grants) => (
  <Card title="Permissions">
    <ul className={css["grants"]}>
      {[ALWAYS_GRANTED, ...[...scopes, ...capabilities].map((name) => GRANT_WORDS[name])].map(
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
