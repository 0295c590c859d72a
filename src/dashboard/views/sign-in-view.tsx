import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { SandboxClient } from '../../client/sandbox-client.ts'
import { formatNumber } from '../../report/format.ts'
import { Badge, type Tone } from '../../report/html/sections.tsx'
import { messageOf, useAction, useFormAction, useLoaded, usePage, useSandboxTime } from '../page.ts'
import { Code, CopyButton, startOf, WholeText } from '../parts/code.tsx'
import {
  Button,
  Empty,
  ErrorText,
  Form,
  Pending,
  SubmitButton,
  useFirst,
} from '../parts/elements.tsx'
import { Select, useSearch } from '../parts/field.tsx'
import { countdown } from './keys-view.tsx'
import { keepToken } from './request-form.ts'

type SignIn = SandboxClient['signIn']
type Token = Awaited<ReturnType<SignIn['tokens']>>[number]
type Issued = Awaited<ReturnType<SignIn['as']>>

/** Milliseconds between two readings of the tokens. */
const INTERVAL = 1000

/** The endpoints of sign-in, a form that issues tokens, and the tokens that were issued. */
export function SignInView(): JSX.Element {
  const { client } = usePage()
  const info = useLoaded(() => client.signIn.info())
  const tokens = useLoaded(() => client.signIn.tokens(), [], INTERVAL)
  if (!info.value) return <Pending error={info.error} />
  if (info.value.endpoints.length === 0) return <NoSignIn />

  return (
    <div class="view columns">
      <div class="column">
        <SignInForm scopes={Object.keys(info.value.scopes)} onIssued={tokens.reload} />
        <Endpoints info={info.value} />
      </div>
      <div class="column">
        <TokenList tokens={tokens.value} error={tokens.error} onChange={tokens.reload} />
      </div>
    </div>
  )
}

function NoSignIn(): JSX.Element {
  return (
    <Empty title="The document has no sign-in">
      <p>
        It describes neither OAuth 2 nor OpenID Connect, and no operation that signs users in. The
        sandbox takes the credentials that the document describes.
      </p>
    </Empty>
  )
}

interface FormProps {
  readonly scopes: readonly string[]
  readonly onIssued: () => Promise<void>
}

/** Issues tokens for a user, as if the user had signed in. */
function SignInForm({ scopes, onIssued }: FormProps): JSX.Element {
  const { client } = usePage()
  const users = useLoaded(() => client.signIn.users()).value ?? []
  const { run, isBusy, error } = useFormAction()
  const [user, setUser] = useState('')
  const [chosen, setChosen] = useState<readonly string[]>(scopes)
  const [issued, setIssued] = useState<Issued | undefined>(undefined)
  const signIn = (): unknown =>
    run(
      async () => {
        const tokens = await client.signIn.as(user === '' ? undefined : user, {
          scopes: [...chosen],
        })
        const name = users.find(({ id }) => id === user)?.name ?? 'the first user'
        keepToken(client.name, tokens.access_token, name)
        setIssued(tokens)
      },
      'The tokens are issued.',
      onIssued,
    )

  return (
    <Form class="card stack" aria-label="Sign in as" onSubmit={signIn}>
      <h2>Sign in as</h2>
      <Select
        label="User"
        value={user}
        choices={[
          { value: '', label: 'the first user' },
          ...users.map(({ id, name }) => ({ value: id, label: `${name} (${id})` })),
        ]}
        onChange={setUser}
      />
      {scopes.length > 0 && <ScopePicker {...{ scopes, chosen }} onChange={setChosen} />}
      {error !== undefined && <ErrorText class="error long">{messageOf(error)}</ErrorText>}
      <p class="buttons">
        <SubmitButton isBusy={isBusy} isPrimary label="Issue tokens" />
      </p>
      {issued && (
        <>
          <p class="buttons">
            <CopyButton text={issued.access_token} label="Copy access token" />
            <span class="quiet">
              Request forms suggest it as their key. It ends in {formatNumber(issued.expires_in)} s
              of the sandbox's clock.
            </span>
          </p>
          <Code text={JSON.stringify(issued, null, 2)} label="Issued tokens" />
        </>
      )}
    </Form>
  )
}

interface ScopeProps {
  readonly scopes: readonly string[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}

/** Documents with more scopes get a search field. */
const SEARCHED = 8

function ScopePicker({ scopes, chosen, onChange }: ScopeProps): JSX.Element {
  const search = useSearch('Search scopes')

  return (
    <fieldset class="picker">
      <legend>
        Scopes{' '}
        <span class="quiet">
          {formatNumber(chosen.length)} of {formatNumber(scopes.length)} chosen
        </span>
      </legend>
      {scopes.length > SEARCHED && search.field}
      <ul class="picker-list">
        {scopes.filter(search.isFound).map((scope) => (
          <li key={scope}>
            <label>
              <input
                type="checkbox"
                checked={chosen.includes(scope)}
                onChange={({ currentTarget }) =>
                  onChange(
                    currentTarget.checked
                      ? [...chosen, scope]
                      : chosen.filter((one) => one !== scope),
                  )
                }
              />
              <span class="long">{scope}</span>
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  )
}

/** Where clients find the endpoints. */
function Endpoints({ info }: { readonly info: Awaited<ReturnType<SignIn['info']>> }): JSX.Element {
  const { site } = usePage()

  return (
    <section class="card" aria-label="Endpoints">
      <h2>Endpoints</h2>
      <table class="plain">
        <tbody>
          {info.endpoints.map(({ endpoint, path, address }) => (
            <tr key={endpoint}>
              <th scope="row">{endpoint}</th>
              <td class="long">
                <code>{site + path}</code>
                {address !== undefined && <p class="quiet long">instead of {address}</p>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="hint">
        {info.clients.length === 0
          ? 'Every client is accepted.'
          : `The clients are ${info.clients.join(', ')}.`}
        {info.wrongCodes > 0 &&
          ` ${formatNumber(info.wrongCodes)} codes and tokens were sent that were never issued.`}
      </p>
    </section>
  )
}

const TONES: Readonly<Record<Token['state'], Tone>> = {
  valid: 'good',
  expired: 'warning',
  revoked: 'bad',
  used: 'neutral',
}

interface TokenListProps {
  readonly tokens: readonly Token[] | undefined
  readonly error: string | undefined
  readonly onChange: () => Promise<void>
}

/** More tokens are drawn on request. */
const SHOWN = 50

/** The tokens that were issued, the latest first, with their end on the sandbox's clock. */
function TokenList({ tokens, error, onChange }: TokenListProps): JSX.Element {
  const now = useSandboxTime(1000) ?? 0
  const { first, more } = useFirst(tokens ?? [], SHOWN, 'tokens')

  return (
    <section class="card" aria-label="Tokens">
      <h2>Tokens</h2>
      {!tokens && <Pending error={error} />}
      {tokens?.length === 0 && (
        <p class="quiet">No token was issued yet. Sign in by a client, or by the form.</p>
      )}
      <ul class="rows">
        {first.map((token) => (
          <TokenRow
            key={`${token.kind} ${token.token} ${token.issuedAt}`}
            {...{ token, now, onChange }}
          />
        ))}
      </ul>
      {more}
    </section>
  )
}

interface TokenRowProps {
  readonly token: Token
  /** The sandbox's time, in epoch milliseconds. */
  readonly now: number
  readonly onChange: () => Promise<void>
}

/** Longer names of clients, which choose them, are folded. */
const MAX_CLIENT = 60

function TokenRow({ token, now, onChange }: TokenRowProps): JSX.Element {
  const { client } = usePage()
  const { run, isBusy } = useAction()
  const { kind, token: end, state, user, client: owner, scopes, plan, expiresAt, grant } = token

  return (
    <li>
      <div class="long">
        <b>
          {kind} token <code>{end}</code>
        </b>{' '}
        <Badge tone={TONES[state]}>{state}</Badge>
        <p class="quiet">
          {user !== undefined && (
            <>
              <bdi>{user}</bdi> by{' '}
            </>
          )}
          <bdi>{startOf(owner, MAX_CLIENT)}</bdi>
          {plan !== undefined && ` · plan ${plan}`} · {scopes.join(' ') || 'no scopes'}
        </p>
        <WholeText text={owner} most={MAX_CLIENT} label="Client" />
        {state === 'valid' && <p class="quiet">Ends in {countdown(expiresAt, now)}</p>}
      </div>
      {state === 'valid' && (
        <Button
          class="small"
          aria-label={`Revoke the ${kind} token ${end}`}
          disabled={isBusy}
          onClick={() =>
            run(() => client.signIn.revoke(grant), 'The tokens are revoked.', onChange)
          }
        >
          Revoke
        </Button>
      )}
    </li>
  )
}
