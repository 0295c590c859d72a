import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useLinks, usePage, useSandbox } from '../page.ts'
import { Empty, Pending } from '../parts/empty.tsx'
import { ToastList } from '../parts/toasts.tsx'
import { VIEWS } from '../views/views.ts'
import { Banner } from './banner.tsx'
import { ClockBar } from './clock-bar.tsx'
import { Navigation } from './navigation.tsx'
import { NoWorld } from './no-world.tsx'
import { TokenDialog } from './token-dialog.tsx'
import { WorldChooser } from './world-chooser.tsx'

interface FrameProps {
  /** Called with the token that the user typed. */
  readonly onToken: (token: string) => void
}

/** What surrounds every view: the navigation, the world, the clock, and messages. */
export function Frame({ onToken }: FrameProps): JSX.Element {
  const { toasts, route } = usePage()
  const { connection, problem, health } = useSandbox()
  const content = useRef<HTMLElement>(null)
  const title = route.view && VIEWS[route.view]?.label
  useEffect(() => {
    document.title = [title, health?.title ?? 'Sandbox'].filter(Boolean).join(' · ')
  }, [title, health?.title])

  return (
    <div class="frame">
      <button type="button" class="skip" onClick={() => content.current?.focus()}>
        Skip to the content
      </button>
      <header class="top">
        <h1 class="product">
          <b>{health?.title ?? 'Sandbox'}</b>
          {health && <span class="quiet"> {health.version}</span>}
        </h1>
        <WorldChooser />
        <ClockBar />
      </header>
      <Navigation />
      <Banner />
      <main ref={content} tabIndex={-1} class={connection === 'lost' ? 'stale' : ''}>
        <View />
      </main>
      {connection === 'unauthorized' && <TokenDialog problem={problem} onToken={onToken} />}
      <ToastList toasts={toasts} />
    </div>
  )
}

/** The view of the address. */
function View(): JSX.Element {
  const { route } = usePage()
  const { connection, problem } = useSandbox()
  const linkTo = useLinks()
  const view = route.view && VIEWS[route.view]
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
