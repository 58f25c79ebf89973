import { CodeBlock } from "../../shared/ui/display/Copyable.tsx"
import { Card, Facts, MutedText, Stack } from "../../shared/ui/layout/Page.tsx"
import { EmptyState } from "../../shared/ui/display/QueryBoundary.tsx"
import type { App } from "./appDraft.ts"
import { useApp } from "./AppPage.tsx"
import css from "./Apps.module.css"
import { stepsOf } from "./getStartedSteps.ts"
import { portalTexts } from "./portalTexts.ts"

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
      <Card title={portalTexts.getStarted.shell}>
        <ol className={css["steps"]}>
          <li>
            <p>{portalTexts.getStarted.setValues}</p>
            <CodeBlock title={portalTexts.getStarted.values} text={values} />
          </li>
          <li>
            <p>{portalTexts.getStarted.authorize}</p>
            <CodeBlock title={portalTexts.getStarted.authorizeTitle} text={authorize} />
          </li>
          <li>
            <p>{portalTexts.getStarted.exchange}</p>
            <CodeBlock title={portalTexts.getStarted.exchangeTitle} text={exchange} />
          </li>
          <li>
            <p>{portalTexts.getStarted.readStore}</p>
            <CodeBlock title={portalTexts.getStarted.firstRequest} text={request} />
          </li>
        </ol>
      </Card>
      <Card title={portalTexts.getStarted.typeScript}>
        <MutedText>{portalTexts.getStarted.sdkAdvice}</MutedText>
        <CodeBlock title={portalTexts.getStarted.sdk} text={sdk} />
      </Card>
    </>
  )
}

/** First steps after the registration of an app. */
export const GetStarted = () => {
  const { app } = useApp()
  const [redirectUri] = app.redirectUris
  return (
    <Stack>
      <Card>
        <Facts
          facts={[
            [portalTexts.getStarted.clientId, <code key="id">{app.id}</code>],
            [
              portalTexts.getStarted.type,
              app.type === "public" ? portalTexts.getStarted.types.public : portalTexts.getStarted.types.confidential
            ],
            [portalTexts.getStarted.installations, app.installations],
            [
              portalTexts.getStarted.documentation,
              <a key="docs" href="/docs">
                {portalTexts.getStarted.reference}
              </a>
            ]
          ]}
        />
      </Card>
      {redirectUri === undefined ? (
        <EmptyState title={portalTexts.getStarted.noRedirectUri}>
          <p>{portalTexts.getStarted.noRedirectUriAdvice}</p>
        </EmptyState>
      ) : (
        <Steps app={app} base={location.origin} redirectUri={redirectUri} />
      )}
    </Stack>
  )
}
