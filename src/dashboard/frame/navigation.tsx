import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useLinks, usePage } from '../page.ts'
import { VIEW_NAMES } from '../route.ts'
import { VIEWS } from '../views/views.ts'

/** Links to all views: a column on wide screens, a row that scrolls on narrow ones. */
export function Navigation(): JSX.Element {
  const { route } = usePage()
  const linkTo = useLinks()
  const list = useRef<HTMLElement>(null)
  useEffect(() => {
    const current = list.current?.querySelector('[aria-current]')
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [route.view])

  return (
    <nav aria-label="Views" ref={list}>
      <ul>
        {VIEW_NAMES.map((view) => {
          const label = VIEWS[view]?.label
          return (
            label !== undefined && (
              <li key={view}>
                <a
                  href={linkTo({ view })}
                  {...(route.view === view && { 'aria-current': 'page' as const })}
                >
                  {label}
                </a>
              </li>
            )
          )
        })}
      </ul>
    </nav>
  )
}
