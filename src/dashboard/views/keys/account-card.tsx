import type { JSX } from 'preact'
import { useId } from 'preact/hooks'
import type { Plan } from '../../../access/plan.ts'
import type { SandboxClient } from '../../../client/sandbox-client.ts'
import { usePage } from '../../page.ts'
import { Badge } from '../../parts/badge.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { ConfirmButton } from '../../parts/dialog.tsx'
import { Select } from '../../parts/field.tsx'
import { Gauge } from '../../parts/gauge.tsx'
import { useAction } from '../../parts/use-action.ts'
import { countdown } from './countdown.ts'

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
export function AccountCard({ account, plans, now, onChange }: CardProps): JSX.Element {
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
