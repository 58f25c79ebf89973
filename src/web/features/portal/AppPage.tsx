import { useQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import { createContext, useContext, useMemo, useState } from "react"
import type { AppId } from "../../../rpc/Client.ts"
import { isMissing } from "../../shared/data/errorMessages.ts"
import { NotFoundPage, QueryBoundary, EmptyState } from "../../shared/ui/display/QueryBoundary.tsx"
import { Page, Card, Facts, MutedText, Stack, FIRST_TAB, TabLinks, BackLink } from "../../shared/ui/layout/Page.tsx"
import { UnsavedChangesGuard } from "../../shared/ui/form/SaveForm.tsx"
import { CodeBlock } from "../../shared/ui/display/Copyable.tsx"
import { type App, type AppDraft, draftOf, isChanged } from "./appDraft.ts"
import { appQuery } from "./appQueries.ts"
import { portalTexts } from "./portalTexts.ts"
import css from "./Portal.module.css"

const { tabs } = portalTexts.details

interface AppForm {
  readonly app: App
  readonly draft: AppDraft
  readonly isUnsaved: boolean
  readonly setDraft: (draft: AppDraft | undefined) => void
}

const OpenApp = createContext<AppForm | undefined>(undefined)

/** App of the page with the settings form, for its tabs. */
export const useApp = (): AppForm => {
  const form = useContext(OpenApp)
  if (form === undefined) throw new Error("useApp needs the page of an app around it")
  return form
}

/** Tabs of an app. Keeps the settings form while another tab is open. */
const AppTabs = ({ app }: { readonly app: App }) => {
  const [draft, setDraft] = useState<AppDraft>()
  const isUnsaved = draft !== undefined && isChanged(app, draft)
  const form = useMemo(() => ({ app, draft: draft ?? draftOf(app), isUnsaved, setDraft }), [app, draft, isUnsaved])
  const params = { appId: app.id }
  return (
    <OpenApp value={form}>
      <TabLinks label={tabs.label}>
        <Link to="/developers/apps/$appId" params={params} activeOptions={FIRST_TAB} resetScroll={false}>
          {tabs.getStarted}
        </Link>
        <Link to="/developers/apps/$appId/settings" params={params} resetScroll={false}>
          {tabs.settings}
        </Link>
        {app.type === "public" ? undefined : (
          <Link to="/developers/apps/$appId/secret" params={params} resetScroll={false}>
            {tabs.secret}
          </Link>
        )}
        <Link to="/developers/apps/$appId/webhook" params={params} resetScroll={false}>
          {tabs.webhook}
        </Link>
        <Link to="/developers/apps/$appId/deliveries" params={params} resetScroll={false}>
          {tabs.deliveries}
        </Link>
        <Link to="/developers/apps/$appId/installations" params={params} resetScroll={false}>
          {tabs.installations}
        </Link>
      </TabLinks>
      <UnsavedChangesGuard isUnsaved={isUnsaved} keptBelow={`/developers/apps/${app.id}`}>
        <p>{portalTexts.details.unsaved}</p>
      </UnsavedChangesGuard>
    </OpenApp>
  )
}

const route = getRouteApi("/developers/developer/apps/$appId")

const AppDetails = ({ appId }: { readonly appId: AppId }) => {
  const query = useQuery(appQuery(appId))
  if (isMissing(query.error)) return <NotFoundPage />
  return (
    <Page
      title={query.data?.name ?? portalTexts.details.fallbackTitle}
      above={<BackLink to="/developers">{portalTexts.backToApps}</BackLink>}
    >
      <QueryBoundary query={query}>{(app) => <AppTabs app={app} />}</QueryBoundary>
    </Page>
  )
}

/** Page of one app of a developer. */
export const AppPage = () => {
  const { appId } = route.useParams()
  return <AppDetails key={appId} appId={appId} />
}

/* Commands and code that lead an app to its first API response (docs/oauth.md, docs/sdk.md). */

/** Quotes text for a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

interface Commands {
  readonly values: string
  readonly authorize: string
  readonly exchange: string
  readonly request: string
  readonly sdk: string
}

/** `base` is the origin of the service. `redirectUri` must be registered. */
const stepsOf = ({ id, name, scopes, type }: App, base: string, redirectUri: string): Commands => {
  const isPublic = type === "public"
  const clientSecret = isPublic ? "" : ' -d "client_secret=$client_secret"'
  const query = new URLSearchParams({ response_type: "code", client_id: id, redirect_uri: redirectUri })
  if (scopes.length > 0) query.set("scope", scopes.join(" "))
  return {
    values: [
      `base=${quoted(base)}`,
      `client_id=${quoted(id)}`,
      ...(isPublic ? [] : ["client_secret='app_secret_…' # shown when you registered the app"]),
      `redirect_uri=${quoted(redirectUri)}`
    ].join("\n"),
    authorize: [
      "verifier=$(openssl rand -hex 32)",
      'challenge=$(printf %s "$verifier" | openssl dgst -sha256 -binary | basenc --base64url | tr -d =)',
      "state=$(openssl rand -hex 16)",
      `echo "$base/oauth/authorize?${query}&state=$state&code_challenge=$challenge&code_challenge_method=S256"`
    ].join("\n"),
    exchange: [
      "code='…' # the code parameter of the address",
      'tokens=$(curl -s "$base/oauth/token" -d grant_type=authorization_code -d "code=$code" \\',
      '  --data-urlencode "redirect_uri=$redirect_uri" -d "code_verifier=$verifier" \\',
      `  -d "client_id=$client_id"${clientSecret})`,
      'echo "$tokens"',
      `access_token=$(printf %s "$tokens" | sed -n 's/.*"access_token": *"\\([^"]*\\)".*/\\1/p')`
    ].join("\n"),
    request: 'curl -s "$base/api/platform/v1/store" -H "Authorization: Bearer $access_token"',
    sdk: [
      'import { authorizationUrl, createClient, exchangeCode, generatePkce } from "partner-api/client"',
      "",
      `// ${name.replaceAll(/\s+/g, " ")}`,
      "const app = {",
      `  url: ${JSON.stringify(base)},`,
      `  clientId: ${JSON.stringify(id)},`,
      ...(isPublic ? [] : ["  clientSecret, // load it from the secret store of your server"]),
      `  redirectUri: ${JSON.stringify(redirectUri)}`,
      "}",
      "",
      "// to start: keep state and verifier in the session, and redirect the merchant to the address",
      "const { challenge, verifier } = await generatePkce()",
      "const state = crypto.randomUUID()",
      "const address = authorizationUrl(app, { challenge, state })",
      "",
      "// at the redirect URI: callback is the address that was opened",
      "const tokens = await exchangeCode(app, { callback, state, verifier })",
      "",
      "const client = createClient({ url: app.url, tokens: tokens.accessToken })",
      "const { data: store } = await client.store.get()",
      "console.log(store.name)"
    ].join("\n")
  }
}

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
