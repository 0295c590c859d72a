import type { JSX } from 'preact'
import { useId, useState } from 'preact/hooks'
import type { Plan } from '../../access/callers.ts'
import type { SandboxClient } from '../../client/sandbox-client.ts'
import { isBearerToken } from '../../http/headers.ts'
import { formatNumber } from '../../report/format.ts'
import { Badge } from '../../report/html/sections.tsx'
import { useAction, useLoaded, usePage, useSandboxTime } from '../page.ts'
import { CopyButton } from '../parts/code.tsx'
import {
  Button,
  ConfirmButton,
  Empty,
  Form,
  Pending,
  SubmitButton,
  useFirst,
} from '../parts/elements.tsx'
import { Field, Select, useChoice, useSearch } from '../parts/field.tsx'

/** Milliseconds between two readings of the quotas. */
const POLL_INTERVAL = 1000
/** More accounts are drawn on request. */
const SHOWN = 60

/** Each key and each other account, with its plan, its quotas and its ban. */
export function KeysView(): JSX.Element {
  const { client } = usePage()
  const accounts = useLoaded(() => client.accounts(), [], POLL_INTERVAL)
  const loadedPlans = useLoaded(() => client.plans())
  const plans = loadedPlans.value ?? []
  const now = useSandboxTime(500) ?? 0
  const search = useSearch('Search keys', 'Search keys and plans')
  const found = (accounts.value ?? []).filter(({ account, plan }) =>
    search.isFound(`${account} ${plan?.name ?? ''}`),
  )
  const { first, more } = useFirst(found, SHOWN, 'keys')
  if (!accounts.value) return <Pending error={accounts.error} />
  const reloadAll = async (): Promise<void> => {
    await Promise.all([loadedPlans.reload(), accounts.reload()])
  }
  if (loadedPlans.value?.length === 0 && accounts.value.length === 0)
    return <NoPlans onSaved={reloadAll} />

  return (
    <div class="view">
      <div class="toolbar">
        {search.field}
        {plans.length > 0 && <AddKeyForm plans={plans} onAdded={accounts.reload} />}
      </div>
      <details class="card">
        <summary>Plans ({formatNumber(plans.length)})</summary>
        <div class="stack plans">
          {plans.map((plan) => (
            <PlanRow key={plan.name} plan={plan} onSaved={reloadAll} />
          ))}
          <PlanForm plans={plans} onSaved={reloadAll} />
        </div>
      </details>
      {found.length === 0 && <NoAccount isFiltered={search.isFiltered} />}
      <div class="cards">
        {first.map((account) => (
          <AccountCard
            key={account.account}
            account={account}
            plans={plans}
            now={now}
            onChange={accounts.reload}
          />
        ))}
      </div>
      {more}
    </div>
  )
}

function NoAccount({ isFiltered }: { readonly isFiltered: boolean }): JSX.Element {
  if (isFiltered) return <Empty title="No key matches" />
  return (
    <Empty title="No keys yet">
      <p>Add a key, or send a request: its key appears here with the first plan.</p>
    </Empty>
  )
}

/** What the keys show in a sandbox without plans. */
function NoPlans({ onSaved }: { readonly onSaved: () => Promise<void> }): JSX.Element {
  return (
    <Empty title="No plans">
      <p>
        Without a plan, the sandbox counts no requests and refuses none. With plans, each key has a
        quota for the minute and for the day. A key that is not listed has the first plan.
      </p>
      <PlanForm plans={[]} onSaved={onSaved} />
      <p>To have a plan and a key at each start:</p>
      <pre>pet-sandbox API.yaml --plan free=60/1000 --key my-key=free</pre>
    </Empty>
  )
}

interface AddKeyProps {
  readonly plans: readonly Plan[]
  readonly onAdded: () => Promise<void>
}

/** Adds a key with a plan. */
function AddKeyForm({ plans, onAdded }: AddKeyProps): JSX.Element {
  const { client } = usePage()
  const { run, isBusy } = useAction()
  const [typed, setTyped] = useState('')
  const names = plans.map(({ name }) => name)
  const [plan = '', choose] = useChoice(names)
  const [error, setError] = useState('')
  const add = (): void => {
    const key = typed.trim()
    const isValid = isBearerToken(key)
    setError(isValid ? '' : 'Use letters, digits and -._~+/ only.')
    if (!isValid) return
    run(
      () => client.setKey(key, plan),
      'The key is added.',
      () => {
        setTyped('')
        return onAdded()
      },
    )
  }

  return (
    <Form class="row-form" onSubmit={add}>
      <Field label="New key" value={typed} onInput={setTyped} error={error} />
      <Select label="Plan" value={plan} choices={names} onChange={choose} />
      <SubmitButton isBusy={isBusy} label="Add key" />
    </Form>
  )
}

interface PlanFormProps {
  readonly plans: readonly Plan[]
  readonly onSaved: () => Promise<void>
}

/** What one plan allows, to be changed in place. */
function PlanRow(props: Pick<PlanFormProps, 'onSaved'> & { readonly plan: Plan }): JSX.Element {
  const { plan, onSaved } = props
  const { client } = usePage()
  const { run, isBusy } = useAction()
  const [texts, setTexts] = useState<Partial<Record<(typeof WINDOWS)[number], string>>>({})
  const textOf = (window: (typeof WINDOWS)[number]): string => texts[window] ?? String(plan[window])
  const isChanged = WINDOWS.some((window) => textOf(window) !== String(plan[window]))
  const isValid = WINDOWS.every((window) => problemOf(textOf(window)) === '')
  const save = (): void => {
    if (!(isChanged && isValid)) return
    const windows = { minute: Number(textOf('minute')), day: Number(textOf('day')) }
    run(
      () => client.setPlan(plan.name, windows),
      `The plan ${plan.name} is saved.`,
      () => {
        setTexts({})
        return onSaved()
      },
    )
  }

  return (
    <Form class="row-form plan" aria-label={`Plan ${plan.name}`} onSubmit={save}>
      <b class="long">{plan.name}</b>
      {WINDOWS.map((window) => (
        <Field
          key={window}
          label={`Requests per ${window}`}
          value={textOf(window)}
          error={problemOf(textOf(window))}
          onInput={(text) => setTexts({ ...texts, [window]: text })}
        />
      ))}
      <SubmitButton isBusy={isBusy || !isChanged || !isValid} label="Save" />
    </Form>
  )
}

/** Adds a plan, or changes what a plan allows. */
function PlanForm({ plans, onSaved }: PlanFormProps): JSX.Element {
  const { client } = usePage()
  const { run, isBusy } = useAction()
  const [texts, setTexts] = useState({ name: '', minute: '', day: '' })
  const [isChecked, setChecked] = useState(false)
  const name = texts.name.trim()
  const errors = {
    name: name === '' ? 'Give it a name.' : '',
    minute: problemOf(texts.minute),
    day: problemOf(texts.day),
  }
  const field = (one: keyof typeof texts) => ({
    value: texts[one],
    error: isChecked ? errors[one] : '',
    onInput: (text: string) => setTexts({ ...texts, [one]: text }),
  })
  const chooseName = (typed: string): void => {
    const known = plans.find((plan) => plan.name === typed)
    const limits = known && { minute: String(known.minute), day: String(known.day) }
    setTexts({ ...texts, ...limits, name: typed })
  }
  const save = (): void => {
    const isValid = Object.values(errors).every((error) => error === '')
    setChecked(!isValid)
    if (!isValid) return
    const windows = { minute: Number(texts.minute), day: Number(texts.day) }
    run(() => client.setPlan(name, windows), `The plan ${name} is saved.`, onSaved)
  }

  return (
    <Form class="row-form" onSubmit={save}>
      <Field
        label="Name of the plan"
        {...field('name')}
        onInput={chooseName}
        suggestions={plans.map((plan) => plan.name)}
      />
      <Field label="Requests per minute" {...field('minute')} />
      <Field label="Requests per day" {...field('day')} />
      <SubmitButton isBusy={isBusy} label="Save plan" />
    </Form>
  )
}

/** What is wrong with a number of requests; empty when it is valid. */
function problemOf(text: string): string {
  const number = Number(text)
  return Number.isSafeInteger(number) && number >= 1 ? '' : 'It must be an integer ≥ 1.'
}

type Account = Awaited<ReturnType<SandboxClient['accounts']>>[number]

interface CardProps {
  readonly account: Account
  readonly plans: readonly Plan[]
  /** The sandbox's time, in epoch milliseconds. */
  readonly now: number
  readonly onChange: () => Promise<void>
}

const KINDS: Readonly<Record<Account['kind'], string>> = {
  key: 'key',
  unlisted: 'not listed',
  anonymous: 'no key',
}

const WINDOWS = ['minute', 'day'] as const

/** One account with its quotas and its ban, and what can be changed. */
function AccountCard({ account, plans, now, onChange }: CardProps): JSX.Element {
  const { kind, key, always, ban } = account
  const id = useId()

  return (
    <article class="card account" aria-labelledby={id}>
      <header>
        <h2 id={id}>{key === undefined ? 'Requests without a key' : <code>{key}</code>}</h2>
        {ban && <Badge tone="bad">banned</Badge>}
        {always !== undefined && <Badge tone="warning">always {always}</Badge>}
        {kind === 'key' && key !== undefined ? (
          <CopyButton text={key} label="Copy key" isSmall />
        ) : (
          <Badge>{KINDS[kind]}</Badge>
        )}
      </header>
      <PlanField account={account} plans={plans} onChange={onChange} />
      {WINDOWS.map((window) => (
        <Gauge key={window} window={window} quota={account[window]} now={now} />
      ))}
      {ban && (
        <p class="callout warning">
          Ban number {ban.number}. It ends in <b>{countdown(Date.parse(ban.until), now)}</b>.
        </p>
      )}
      <AccountButtons account={account} onChange={onChange} />
    </article>
  )
}

function PlanField({ account, plans, onChange }: Omit<CardProps, 'now'>): JSX.Element | null {
  const { client } = usePage()
  const { run } = useAction()
  const { kind, key, plan } = account
  if (!plan) return null
  if (kind !== 'key' || key === undefined) return <p class="quiet">{plan.name} plan</p>

  return (
    <Select
      label="Plan"
      value={plan.name}
      choices={plans.map(({ name, minute, day }) => ({
        value: name,
        label: `${name} (${formatNumber(minute)} / ${formatNumber(day)})`,
      }))}
      onChange={(name) => run(() => client.setKey(key, name), `The plan is ${name}.`, onChange)}
    />
  )
}

type ButtonsProps = Pick<CardProps, 'account' | 'onChange'>

function AccountButtons({ account, onChange }: ButtonsProps): JSX.Element {
  const { client } = usePage()
  const { run, isBusy } = useAction()
  const { account: name, key, kind, ban, always } = account

  return (
    <div class="buttons">
      {/* A magic key is always banned. */}
      {ban && always === undefined && (
        <Button
          disabled={isBusy}
          onClick={() => run(() => client.liftBan(name), 'The ban is lifted.', onChange)}
        >
          Lift ban
        </Button>
      )}
      {WINDOWS.map((window) => {
        const quota = account[window]
        const spend = (): Promise<Account> => client.setRemaining(name, { [window]: 0 })
        return (
          quota && (
            <Button
              key={window}
              disabled={isBusy || quota.remaining === 0}
              onClick={() => run(spend, `The ${window} is spent.`, onChange)}
            >
              Spend {window}
            </Button>
          )
        )
      })}
      {kind === 'key' && key !== undefined && (
        <ConfirmButton
          label="Remove key"
          question="Its counts and its bans are removed, too."
          isDisabled={isBusy}
          onConfirm={() => run(() => client.removeKey(key), 'The key is removed.', onChange)}
        />
      )}
    </div>
  )
}

interface GaugeProps {
  readonly window: (typeof WINDOWS)[number]
  readonly quota: Account['minute'] | undefined
  readonly now: number
}

/** How much of a quota is left, as a bar that runs down, and the time until the reset. */
function Gauge({ window, quota, now }: GaugeProps): JSX.Element | null {
  if (!quota) return null
  const { remaining, limit, reset } = quota
  const part = limit > 0 ? Math.max(0, Math.min(1, remaining / limit)) : 0
  const label = window === 'minute' ? 'Minute' : 'Day'

  return (
    <div class={`gauge ${levelOf(part)}`}>
      <div class="gauge-text">
        <span>{label}</span>
        <span>
          <b>{formatNumber(remaining)}</b> of {formatNumber(limit)} left
        </span>
      </div>
      <meter class="hidden" aria-label={`${label}: requests left`} value={remaining} max={limit} />
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect class="gauge-ground" width="100" height="6" />
        <rect class="gauge-left" width={part * 100} height="6" />
      </svg>
      <div class="gauge-note">Resets in {countdown(Date.parse(reset), now)}</div>
    </div>
  )
}

function levelOf(part: number): 'enough' | 'low' | 'spent' {
  if (part === 0) return 'spent'
  return part < 0.2 ? 'low' : 'enough'
}

/** The time from `now` to `until`, both in epoch milliseconds: `12 s`, `4 min 05 s`, `3 h 20 min`. */
export function countdown(until: number, now: number): string {
  const seconds = Math.max(0, Math.ceil((until - now) / 1000))
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (seconds < 60) return `${seconds} s`
  if (minutes < 60) return `${minutes} min ${pad(seconds % 60)} s`
  if (hours < 24) return `${hours} h ${pad(minutes % 60)} min`

  return `${Math.floor(hours / 24)} d ${hours % 24} h`
}

function pad(number: number): string {
  return String(number).padStart(2, '0')
}
