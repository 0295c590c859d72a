import type { ComponentChildren, JSX, RefObject } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'

/** A column of a table. */
export interface Column<Row> {
  readonly label: string
  /** The content of a cell. The first column that has no controls holds the link of the row. */
  readonly cell: (row: Row) => ComponentChildren
  /** Whether its cells are controls. */
  readonly isControl?: boolean
  /** What the head shows in place of the label, such as a button. */
  readonly head?: JSX.Element
  /** Whether the rows are in the order of the column. */
  readonly order?: 'ascending' | 'descending' | undefined
  /** A class of the cells, for the width and the alignment. `wide-only`: not on narrow screens. */
  readonly class?: string
}

interface TableProps<Row> {
  /** The name of the table for screen readers. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => number | string
  /** The address of what the row opens. */
  readonly hrefOf: (row: Row) => string
  /** What a row shows in place of its cells, where it is the head of the rows that follow. */
  readonly groupOf?: (row: Row) => JSX.Element | false
  /** The key of the row that is open. */
  readonly selected?: string | undefined
  /** Called with the position of the list when it is scrolled, in pixels. */
  readonly onScroll?: (top: number) => void
  /** A class of the row. */
  readonly classOf?: (row: Row) => string
  /** What is shown without rows. */
  readonly empty: JSX.Element
  /** Whether many rows come at once, such as requests. Then the cells must have no state of their own. */
  readonly isLive?: boolean
}

/** Each row has this height, in pixels. The style sheet has the same number. */
const ROW_HEIGHT = 32
/** Rows that are drawn above and below the visible ones. */
const MARGIN_ROWS = 3

/** A table of any length. Only the visible rows are in the document. */
export function Table<Row>(props: TableProps<Row>): JSX.Element {
  const { label, columns, rows, keyOf } = props
  const { scroller, first, visible, measure } = useWindow(rows.length)
  const drawn = rows.slice(first, first + visible)
  const keys = drawn.map(keyOf)
  const slots = useSlots(keys, scroller)
  const elementKeys = props.isLive ? slots : keys

  return (
    <div
      class="table-box"
      ref={scroller}
      onScroll={({ currentTarget }) => {
        measure()
        props.onScroll?.(currentTarget.scrollTop)
      }}
    >
      <table aria-label={label} aria-rowcount={rows.length + 1} onKeyDown={moveFocus}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.label}
                scope="col"
                class={column.class ?? ''}
                {...(column.order && { 'aria-sort': column.order })}
              >
                {column.head ?? column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer rows={first} />
          {drawn.map((row, at) => {
            const group = props.groupOf?.(row)
            const index = first + at + 2
            return group ? (
              <tr key={elementKeys[at]} aria-rowindex={index} class="group-row">
                <th scope="rowgroup">{group}</th>
              </tr>
            ) : (
              <LinkRow key={elementKeys[at]} {...props} row={row} index={index} />
            )
          })}
          <Spacer rows={rows.length - first - visible} />
        </tbody>
      </table>
      {rows.length === 0 && props.empty}
    </div>
  )
}

function LinkRow<Row>(
  props: TableProps<Row> & { readonly row: Row; readonly index: number },
): JSX.Element {
  const { row, index, columns, keyOf, hrefOf, selected } = props
  const href = hrefOf(row)
  const isCurrent = String(keyOf(row)) === selected
  // While requests arrive, most rows only move.
  const cells = useMemo(
    () => cellsOf(row, columns, href, isCurrent),
    [row, columns, href, isCurrent],
  )

  return (
    <tr
      aria-rowindex={index}
      class={`link-row ${isCurrent ? 'selected' : ''} ${props.classOf?.(row) ?? ''}`}
      onClick={({ target }) => {
        const isControl = target instanceof Element && target.closest('a, button, input, select')
        if (!isControl) location.hash = href
      }}
    >
      {cells}
    </tr>
  )
}

function cellsOf<Row>(
  row: Row,
  columns: readonly Column<Row>[],
  href: string,
  isCurrent: boolean,
): readonly JSX.Element[] {
  const linkAt = columns.findIndex(({ isControl }) => !isControl)

  return columns.map((column, at) => (
    <td key={column.label} class={column.class ?? ''}>
      {at === linkAt ? (
        <a href={href} {...(isCurrent && { 'aria-current': 'true' })}>
          {column.cell(row)}
        </a>
      ) : (
        column.cell(row)
      )}
    </td>
  ))
}

/** The content of a cell with a method and a path. */
export function RequestLine(props: Readonly<Record<'method' | 'target', string>>): JSX.Element {
  const { method, target } = props
  return (
    <code title={`${method} ${target}`}>
      <b>{method}</b> {readableTarget(target)}
    </code>
  )
}

/** A path with its query, with letters of all languages instead of their codes. What would change its meaning or its look stays. */
export function readableTarget(target: string): string {
  return target.replace(/(?:%[\da-f]{2})+/gi, (code) => {
    try {
      const text = decodeURI(code)
      return /^[\p{L}\p{N}\p{P}\p{S}]+$/u.test(text) ? text : code
    } catch {
      return code
    }
  })
}

/** Takes the place of rows that are not drawn. */
function Spacer({ rows }: { readonly rows: number }): JSX.Element | null {
  if (rows <= 0) return null
  // One cell: more would be columns of their own where columns are hidden on narrow screens.
  return (
    <tr class="spacer">
      <td style={{ height: `${rows * ROW_HEIGHT}px` }} />
    </tr>
  )
}

/** Up and down move the focus between the links of rows. */
function moveFocus(event: KeyboardEvent): void {
  const step = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' } as const
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  const row = event.target instanceof Element ? event.target.closest('tr') : null
  const isInput = event.target instanceof HTMLInputElement && event.target.type !== 'checkbox'
  const link = isInput ? null : row?.[step[event.key]]?.querySelector<HTMLElement>('a, button')
  if (!link) return
  event.preventDefault()
  link.focus()
}

/**
 * A number for each row that is drawn, which stays the same. A row that comes takes the number of one that went, and so its elements, since
 * making new ones takes much longer. Nobody who has the focus in a row gets another one in its place.
 */
function useSlots(
  keys: readonly (number | string)[],
  scroller: RefObject<HTMLElement | null>,
): readonly number[] {
  const last = useRef<ReadonlyMap<number | string, number>>(new Map())
  const before = last.current
  // When the row with the focus goes out of sight, the body of the table gets the focus.
  const focusedRow = document.activeElement?.closest('tr') ?? null
  const isFocused = focusedRow !== null && scroller.current?.contains(focusedRow) === true
  const drawn = new Set(keys)
  const free = isFocused ? [] : [...before].filter(([key]) => !drawn.has(key))
  let added = Math.max(0, ...before.values())
  const slots = keys.map((key) => {
    const known = before.get(key) ?? free.shift()?.[1]
    if (known !== undefined) return known
    added += 1
    return added
  })
  last.current = new Map(keys.map((key, at) => [key, slots[at] ?? 0]))

  return slots
}

/** The rows that are visible at the present scroll position. */
function useWindow(count: number) {
  const scroller = useRef<HTMLDivElement>(null)
  const [{ top, height }, setView] = useState({ top: 0, height: 800 })
  const measure = (): void => {
    const { scrollTop = 0, clientHeight = 0 } = scroller.current ?? {}
    setView((view) =>
      view.top === scrollTop && view.height === clientHeight
        ? view
        : { top: scrollTop, height: clientHeight },
    )
  }
  useEffect(() => {
    const observer = new ResizeObserver(measure)
    if (scroller.current) observer.observe(scroller.current)
    return () => observer.disconnect()
  }, [])
  const start = Math.min(Math.floor(top / ROW_HEIGHT) - MARGIN_ROWS, count - 1)
  const first = Math.max(0, start)
  const wanted = Math.ceil((top + height) / ROW_HEIGHT) + MARGIN_ROWS - first

  return { scroller, first, visible: Math.max(0, Math.min(wanted, count - first)), measure }
}
