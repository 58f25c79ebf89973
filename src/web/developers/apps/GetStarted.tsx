import { CodeBlock } from "../../ui/display/CodeBlock.tsx"
import { Card, Facts, MutedText, Stack } from "../../ui/layout/Page.tsx"
import { EmptyState } from "../../ui/display/QueryBoundary.tsx"
import type { App } from "./appDraft.ts"
import css from "./Apps.module.css"
import { stepsOf } from "./getStartedSteps.ts"
import { developerTexts } from "../developerTexts.ts"

const Steps = ({
  app,
  base,
  redirectUri
}: {
  readonly app: App
  readonly base: string
  readonly redirectUri: string
}) => {
  const { authorize, exchange, request, sdk, values } = stepsOf(app, base, redirectUri)
  return (
    <>
      <Card title={developerTexts.getStarted.shell}>
        <ol className={css["steps"]}>
          <li>
            <p>{developerTexts.getStarted.setValues}</p>
            <CodeBlock title={developerTexts.getStarted.values} text={values} />
          </li>
          <li>
            <p>{developerTexts.getStarted.authorize}</p>
            <CodeBlock title={developerTexts.getStarted.authorizeTitle} text={authorize} />
          </li>
          <li>
            <p>{developerTexts.getStarted.exchange}</p>
            <CodeBlock title={developerTexts.getStarted.exchangeTitle} text={exchange} />
          </li>
          <li>
            <p>{developerTexts.getStarted.readStore}</p>
            <CodeBlock title={developerTexts.getStarted.firstRequest} text={request} />
          </li>
        </ol>
      </Card>
      <Card title={developerTexts.getStarted.typeScript}>
        <MutedText>{developerTexts.getStarted.sdkAdvice}</MutedText>
        <CodeBlock title={developerTexts.getStarted.sdk} text={sdk} />
      </Card>
    </>
  )
}

/** First steps after the registration of an app. */
export const GetStarted = ({ app, base }: { readonly app: App; readonly base: string }) => {
  const [redirectUri] = app.redirectUris
  return (
    <Stack>
      <Card>
        <Facts
          facts={[
            [developerTexts.getStarted.clientId, <code key="id">{app.id}</code>],
            [
              developerTexts.getStarted.type,
              app.type === "public"
                ? developerTexts.getStarted.types.public
                : developerTexts.getStarted.types.confidential
            ],
            [developerTexts.getStarted.installations, app.installations],
            [
              developerTexts.getStarted.documentation,
              <a key="docs" href="/docs">
                {developerTexts.getStarted.reference}
              </a>
            ]
          ]}
        />
      </Card>
      {redirectUri === undefined ? (
        <EmptyState title={developerTexts.getStarted.noRedirectUri}>
          <p>{developerTexts.getStarted.noRedirectUriAdvice}</p>
        </EmptyState>
      ) : (
        <Steps app={app} base={base} redirectUri={redirectUri} />
      )}
    </Stack>
  )
}
