import type { ComponentChildren, JSX } from 'preact'
import { useId, useState } from 'preact/hooks'
import type { Plan } from '../../access/callers.ts'
import type { SandboxClient } from '../../client/sandbox-client.ts'
import { isBearerToken } from '../../http/headers.ts'
import { Badge } from '../../report/html/sections.tsx'
import { useAction, useLoaded, usePage, useSandboxTime } from '../page.ts'
import { CopyButton } from '../parts/code.tsx'
import { ConfirmButton, Empty, Pending, useFirst } from '../parts/elements.tsx'
import { Field, Select } from '../parts/field.tsx'

/** Milliseconds between two readings of the quotas. */
const POLL_INTERVAL = 1000
/** More accounts are drawn on request. */
const SHOWN = 60

/** Each key and each other account, with its plan, its quotas and its ban. */
export function KeysView(): JSX.Element {
  const { client } = usePage()
  const accounts = useLoaded(() => client.accounts(), [client], { every: POLL_INTERVAL })
  const loadedPlans = useLoaded(() => client.plans(), [client])
  const plans = loadedPlans.value ?? []
  const now = useSandboxTime(500) ?? 0
  const [text, setText] = useState('')
  const wanted = text.toLowerCase()
  const found = (accounts.value ?? []).filter(({ account, plan }) =>
    `${account} ${plan?.name ?? ''}`.toLowerCase().includes(wanted),
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
        <Field
          label="Search keys"
          isLabelHidden
          type="search"
          placeholder="Search keys and plans"
          value={text}
          onInput={setText}
        />
        {plans.length > 0 && <AddKeyForm plans={plans} onAdded={accounts.reload} />}
      </div>
      <details class="card">
        <summary>Plans</summary>
        <PlanForm plans={plans} onSaved={reloadAll} />
      </details>
      {found.length === 0 && <NoAccount isFiltered={wanted !== ''} />}
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
  const [key, setKey] = useState('')
  const [chosen, choose] = useState('')
  const [error, setError] = useState('')
  const plan = chosen || plans[0]?.name || ''
  const add = async (): Promise<void> => {
    const isValid = isBearerToken(key.trim())
    setError(isValid ? '' : 'Use letters, digits and -._~+/ only.')
    if (!isValid) return
    if (!(await run(() => client.setKey(key.trim(), plan), 'The key is added.'))) return
    setKey('')
    await onAdded()
  }

  return (
    <form
      class="row-form"
      onSubmit={(event) => {
        event.preventDefault()
        void add()
      }}
    >
      <Field label="New key" value={key} onInput={setKey} error={error} />
      <Select
        label="Plan"
        value={plan}
        choices={plans.map(({ name }) => ({ value: name }))}
        onChange={choose}
      />
      <button type="submit" disabled={isBusy}>
        Add key
      </button>
    </form>
  )
}

interface PlanFormProps {
  readonly plans: readonly Plan[]
  readonly onSaved: () => Promise<void>
}

/** Adds a plan, or changes what a plan allows. */
function PlanForm({ plans, onSaved }: PlanFormProps): JSX.Element {
  const { client } = usePage()
  const { run, isBusy } = useAction()
  const [name, setName] = useState('')
  const [minute, setMinute] = useState('')
  const [day, setDay] = useState('')
  const [isChecked, setChecked] = useState(false)
  const errors = {
    name: name.trim() === '' ? 'Give it a name.' : '',
    minute: problemOf(minute),
    day: problemOf(day),
  }
  const choose = (text: string): void => {
    setName(text)
    const known = plans.find((plan) => plan.name === text)
    if (!known) return
    setMinute(String(known.minute))
    setDay(String(known.day))
  }
  const save = async (): Promise<void> => {
    const isValid = Object.values(errors).every((error) => error === '')
    setChecked(!isValid)
    if (!isValid) return
    const windows = { minute: Number(minute), day: Number(day) }
    const done = `The plan ${name.trim()} is saved.`
    if (await run(() => client.setPlan(name.trim(), windows), done)) await onSaved()
  }

  return (
    <form
      class="row-form"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <Field
        label="Name of the plan"
        value={name}
        onInput={choose}
        suggestions={plans.map((plan) => plan.name)}
        error={isChecked ? errors.name : ''}
      />
      <Field
        label="Requests per minute"
        value={minute}
        onInput={setMinute}
        error={isChecked ? errors.minute : ''}
      />
      <Field
        label="Requests per day"
        value={day}
        onInput={setDay}
        error={isChecked ? errors.day : ''}
      />
      <button type="submit" disabled={isBusy}>
        Save plan
      </button>
    </form>
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
      <WindowGauge label="Minute" window={account.minute} now={now} />
      <WindowGauge label="Day" window={account.day} now={now} />
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
        label: `${name} (${minute.toLocaleString('en')} / ${day.toLocaleString('en')})`,
      }))}
      onChange={(name) =>
        void run(() => client.setKey(key, name), `The plan is ${name}.`).then(onChange)
      }
    />
  )
}

interface WindowProps {
  readonly label: string
  readonly window: Account['minute'] | undefined
  readonly now: number
}

function WindowGauge({ label, window, now }: WindowProps): JSX.Element | null {
  if (!window) return null
  return (
    <Gauge label={label} remaining={window.remaining} limit={window.limit}>
      Resets in {countdown(Date.parse(window.reset), now)}
    </Gauge>
  )
}

function AccountButtons({
  account,
  onChange,
}: Pick<CardProps, 'account' | 'onChange'>): JSX.Element {
  const { client } = usePage()
  const { run, isBusy } = useAction()
  const { account: name, key, kind, minute, day } = account
  // A magic key is always banned.
  const ban = account.always === undefined ? account.ban : undefined
  const change = (task: () => Promise<unknown>, done: string): void =>
    void run(task, done).then(onChange)

  return (
    <div class="buttons">
      {ban && (
        <button
          type="button"
          disabled={isBusy}
          onClick={() => change(() => client.liftBan(name), 'The ban is lifted.')}
        >
          Lift ban
        </button>
      )}
      {minute && (
        <button
          type="button"
          disabled={isBusy || minute.remaining === 0}
          onClick={() =>
            change(() => client.setRemaining(name, { minute: 0 }), 'The minute is spent.')
          }
        >
          Spend minute
        </button>
      )}
      {day && (
        <button
          type="button"
          disabled={isBusy || day.remaining === 0}
          onClick={() => change(() => client.setRemaining(name, { day: 0 }), 'The day is spent.')}
        >
          Spend day
        </button>
      )}
      {kind === 'key' && key !== undefined && (
        <ConfirmButton
          label="Remove key"
          question="Its counts and its bans are removed, too."
          isDisabled={isBusy}
          onConfirm={() => change(() => client.removeKey(key), 'The key is removed.')}
        />
      )}
    </div>
  )
}

interface GaugeProps {
  /** Such as "Minute". */
  readonly label: string
  readonly remaining: number
  readonly limit: number
  /** Such as the time until the reset. */
  readonly children?: ComponentChildren
}

/** How much of a quota is left, as a bar that runs down. */
function Gauge({ label, remaining, limit, children }: GaugeProps): JSX.Element {
  const part = limit > 0 ? Math.max(0, Math.min(1, remaining / limit)) : 0

  return (
    <div class={`gauge ${levelOf(part)}`}>
      <div class="gauge-text">
        <span>{label}</span>
        <span>
          <b>{remaining.toLocaleString('en')}</b> of {limit.toLocaleString('en')} left
        </span>
      </div>
      <meter class="hidden" aria-label={`${label}: requests left`} value={remaining} max={limit} />
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect class="gauge-ground" width="100" height="6" />
        <rect class="gauge-left" width={part * 100} height="6" />
      </svg>
      <div class="gauge-note">{children}</div>
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
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${pad(seconds % 60)} s`
  if (seconds < 86_400)
    return `${Math.floor(seconds / 3600)} h ${pad(Math.floor((seconds % 3600) / 60))} min`

  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3600)} h`
}

function pad(number: number): string {
  return String(number).padStart(2, '0')
}
