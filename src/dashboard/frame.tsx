import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { isBearerToken } from '../http/headers.ts'
import { formatNumber } from '../report/format.ts'
import { ClockBar } from './clock.tsx'
import { Keyboard, useKeptFocus } from './keyboard.tsx'
import { type Toast, type Toasts, useAction, usePage, useSandbox } from './page.ts'
import {
  Button,
  CloseButton,
  Dialog,
  Empty,
  Form,
  Icon,
  loadedLater,
  Pending,
  SubmitButton,
} from './parts/elements.tsx'
import { Field, Select } from './parts/field.tsx'
import { type Route, type RouteParts, VIEW_NAMES, type ViewName } from './route.ts'
import { TrafficView } from './views/traffic-view.tsx'

interface FrameProps {
  /** Called with the token that the user typed. */
  readonly onToken: (token: string) => void
}

/** What surrounds every view: the navigation, the world, the clock, and messages. */
export function Frame({ onToken }: FrameProps): JSX.Element {
  const { toasts, route } = usePage()
  const { connection, problem, health } = useSandbox()
  const content = useRef<HTMLElement>(null)
  const title = route.view && VIEWS[route.view].label
  const frame = useRef<HTMLDivElement>(null)
  useKeptFocus(frame)
  useEffect(() => {
    document.title = [title, health?.title ?? 'Sandbox'].filter(Boolean).join(' · ')
  }, [title, health?.title])

  return (
    <div class="frame" ref={frame}>
      <Button class="skip" onClick={() => content.current?.focus()}>
        Skip to the content
      </Button>
      <header class="top">
        <h1 class="product">
          <b>{health?.title ?? 'Sandbox'}</b>
          {health && <span class="quiet"> {health.version}</span>}
        </h1>
        <ForcedPill />
        <WorldChooser />
        <ClockBar />
      </header>
      <Navigation />
      <Banner />
      <main ref={content} tabIndex={-1} class={connection === 'lost' ? 'stale' : ''}>
        <CurrentView />
      </main>
      {connection === 'unauthorized' && <TokenDialog problem={problem} onToken={onToken} />}
      <ToastList toasts={toasts} />
      <Keyboard labelOf={(view) => VIEWS[view].label} />
    </div>
  )
}

/** The view of the address. */
function CurrentView(): JSX.Element {
  const { route } = usePage()
  const { connection, problem } = useSandbox()
  const { linkTo } = usePage()
  const view = route.view && VIEWS[route.view]
  // While the state of the sandbox is read. Where it fails, the view says so.
  useEffect(() => void view?.load?.().catch(() => undefined), [view])
  if (connection === 'no-world') return <NoWorld />
  if (connection === 'unauthorized') return <Empty title="A token is needed" />
  if (connection === 'connecting') return <Pending error={problem || undefined} />
  if (!view) {
    return (
      <Empty title="There is no such view">
        <p>
          <a href={linkTo({ view: 'traffic' })}>Show the traffic</a>
        </p>
      </Empty>
    )
  }
  // A view of another world starts anew.
  return <view.Component key={route.world ?? ''} />
}

/** Links to all views: a column on wide screens, a row that scrolls on narrow ones. */
function Navigation(): JSX.Element {
  const { route, linkTo } = usePage()
  const list = useRef<HTMLElement>(null)
  useEffect(() => {
    const current = list.current?.querySelector('[aria-current]')
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [route.view])

  return (
    <nav aria-label="Views" ref={list}>
      <ul>
        {VIEW_NAMES.map((view) => (
          <li key={view}>
            <a
              href={linkTo({ view })}
              {...(route.view === view && { 'aria-current': 'page' as const })}
            >
              {VIEWS[view].label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Chooses the world that the page shows. */
function WorldChooser(): JSX.Element {
  const { client, linkTo, route } = usePage()
  const { worlds } = useSandbox()
  const choices = worlds.map(({ name, requests }) => ({
    value: name,
    label: `${name} (${formatNumber(requests)})`,
  }))

  return (
    <div class="world-chooser">
      <Select
        label="World"
        value={client.name}
        choices={choices}
        onChange={(world) => {
          location.hash = linkTo({ ...keptParts(route), world })
        }}
      />
    </div>
  )
}

/** What stays open when the page shows another world. The exchanges of worlds have nothing to do with each other. */
function keptParts({ view, path, query }: Route): RouteParts {
  return view === 'traffic' ? {} : { path, query }
}

/** Says how many rules are in force, and removes them. Nothing without rules. */
function ForcedPill(): JSX.Element | null {
  const { client, linkTo } = usePage()
  const { rules } = useSandbox()
  const { run, isBusy } = useAction()
  if (rules.length === 0) return null

  return (
    <p class="pill">
      <a href={linkTo({ view: 'outcomes' })}>{formatNumber(rules.length)} forced</a>
      <Button
        class="icon-button"
        aria-label="Remove all forced outcomes"
        title="Remove all forced outcomes"
        disabled={isBusy}
        onClick={() => run(() => client.unforce(), 'All forced outcomes are removed.')}
      >
        <Icon name="close" />
      </Button>
    </p>
  )
}

/** Says that the sandbox does not answer. */
function Banner(): JSX.Element {
  const { connection, problem } = useSandbox()

  return (
    <div class="banner-place" role="status" aria-live="polite">
      {connection === 'lost' && (
        <p class="banner">
          <b>The sandbox does not answer. Trying again…</b> {problem}
        </p>
      )}
    </div>
  )
}

/** Says that the world of the address does not exist. */
function NoWorld(): JSX.Element {
  const { client, linkTo } = usePage()
  const { run, isBusy } = useAction()
  const { name } = client

  return (
    <Empty title={`There is no world "${name}"`}>
      <p>It was dropped or deleted, or nothing has used it yet.</p>
      <p class="buttons">
        <a class="button primary" href={linkTo({ world: 'default' })}>
          Show the default world
        </a>
        <Button
          disabled={isBusy}
          onClick={() => run(() => client.world(name), `The world "${name}" is created.`)}
        >
          Create this world
        </Button>
      </p>
    </Empty>
  )
}

interface TokenDialogProps {
  /** Why the sandbox refused the request. */
  readonly problem: string
  readonly onToken: (token: string) => void
}

/** Asks for the token of the sandbox. The tab keeps it. */
function TokenDialog({ problem, onToken }: TokenDialogProps): JSX.Element {
  const [token, setToken] = useState('')
  const [error, setError] = useState('')

  return (
    <Dialog title="This sandbox needs a token" onClose={() => undefined} isRequired>
      <Form
        onSubmit={() => {
          const given = token.trim()
          if (isBearerToken(given)) onToken(given)
          else setError('No HTTP header can carry this text.')
        }}
      >
        <p>{problem}</p>
        <Field
          label="Token"
          type="password"
          value={token}
          onInput={setToken}
          error={error}
          hint="The value of --control-token. It is kept until this tab is closed."
        />
        <div class="buttons">
          <SubmitButton isPrimary label="Use token" />
        </div>
      </Form>
    </Dialog>
  )
}

interface View {
  /** The name in the navigation. */
  readonly label: string
  readonly Component: () => JSX.Element
  /** Loads it. Absent for the one that is a part of the page. */
  readonly load?: () => Promise<unknown>
}

/** A view that is loaded when it is opened. */
function later(label: string, load: () => Promise<() => JSX.Element>): View {
  return { label, load, Component: loadedLater(load) }
}

const VIEWS: Readonly<Record<ViewName, View>> = {
  traffic: { label: 'Traffic', Component: TrafficView },
  timeline: later('Timeline', async () => (await import('./views/timeline-view.tsx')).TimelineView),
  keys: later('Keys', async () => (await import('./views/keys-view.tsx')).KeysView),
  outcomes: later('Outcomes', async () => (await import('./views/outcomes-view.tsx')).OutcomesView),
  worlds: later('Worlds', async () => (await import('./views/worlds-view.tsx')).WorldsView),
  report: later('Report', async () => (await import('./views/report-view.tsx')).ReportView),
  records: later('Records', async () => (await import('./views/records-view.tsx')).RecordsView),
  operations: later(
    'Operations',
    async () => (await import('./views/operations-view.tsx')).OperationsView,
  ),
  events: later('Events', async () => (await import('./views/events-view.tsx')).EventsView),
  'sign-in': later('Sign-in', async () => (await import('./views/sign-in-view.tsx')).SignInView),
}

/** The messages about the latest actions. */
function ToastList({ toasts }: { readonly toasts: Toasts }): JSX.Element {
  const { connection } = useSandbox()
  const [shown, show] = useState<readonly Toast[]>([])
  useEffect(() => toasts.subscribe(show), [toasts])
  useEffect(() => {
    if (connection === 'live') toasts.reconnected()
  }, [connection, toasts])

  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.map(({ id, kind, text }) => (
        <div key={id} class={`toast ${kind}`}>
          <p>{text}</p>
          <CloseButton onClick={() => toasts.close(id)} />
        </div>
      ))}
    </div>
  )
}
