import type { JSX, RefObject } from 'preact'
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'
import { useAction, useLoaded, usePage, useSandbox } from './page.ts'
import { Dialog } from './parts/elements.tsx'
import { VIEW_NAMES, type ViewName } from './route.ts'

/**
 * The keys that work in every view: Ctrl+K opens the palette, `/` goes to the search field of the view, or opens the palette where
 * there is none, the down arrow goes from there to the list, and Escape in the empty field back to where the focus was. Ctrl+Enter sends
 * the form in which the focus is.
 */
export function Keyboard(props: Pick<PaletteProps, 'labelOf'>): JSX.Element | null {
  const [isOpen, setOpen] = useState(false)
  const before = useRef<Element | null>(null)
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const action = actionOf(event, before, () => setOpen(true))
      if (!action) return
      event.preventDefault()
      action()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])

  return isOpen ? <Palette {...props} onClose={() => setOpen(false)} /> : null
}

/** Milliseconds until a list has what was typed last: more than the delay of a search. */
const AFTER_SEARCH = 250

/** What a key does; `undefined` when it does nothing of its own. */
function actionOf(
  { key, target, ctrlKey, metaKey }: KeyboardEvent,
  before: { current: Element | null },
  openPalette: () => void,
): (() => void) | undefined {
  if (ctrlKey || metaKey) {
    if (key.toLowerCase() === 'k') return openPalette
    return key === 'Enter' ? () => submitForm(target) : undefined
  }
  if (isSearch(target)) {
    if (key === 'ArrowDown') return () => setTimeout(focusList, AFTER_SEARCH)
    return key === 'Escape' && target.value === '' ? () => leave(target, before.current) : undefined
  }
  if (key !== '/' || isTyping(target)) return undefined
  return () => {
    before.current = document.activeElement
    focusSearch(openPalette)
  }
}

/** Gives the focus back to what had it before the search field. */
function leave(field: HTMLElement, before: Element | null): void {
  field.blur()
  if (before instanceof HTMLElement) before.focus()
}

function submitForm(target: EventTarget | null): void {
  if (target instanceof Element) target.closest('form')?.requestSubmit()
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select') !== null
}

const SEARCH = 'main input[type="search"]'

function isSearch(target: EventTarget | null): target is HTMLInputElement {
  return target instanceof Element && target.matches(SEARCH)
}

/** Gives the focus to the first row of the list. */
function focusList(): void {
  document.querySelector<HTMLElement>('main .link-row a')?.focus()
}

/** Gives the focus to the search field of the view, or calls `otherwise` when it has none. */
function focusSearch(otherwise: () => void): void {
  const field = document.querySelector<HTMLElement>(SEARCH)
  if (field) field.focus()
  else otherwise()
}

/** Something that the palette can do. */
interface Command {
  readonly name: string
  /** What it is about, such as the request of an operation. */
  readonly detail: string
  readonly run: () => unknown
}

/** The field of the palette, which has a list of its own instead of the browser's. */
const COMBOBOX = { role: 'combobox', list: undefined, 'aria-expanded': 'true' } as const

/** The commands that are drawn. */
const SHOWN = 50

interface PaletteProps {
  /** The name of a view in the navigation. */
  readonly labelOf: (view: ViewName) => string
  readonly onClose: () => void
}

/** Searches views, operations, worlds and actions, and does the one that is chosen. */
function Palette({ labelOf, onClose }: PaletteProps): JSX.Element {
  const id = useId()
  const commands = useCommands(labelOf)
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const found = useMemo(() => select(commands, text), [commands, text])
  const chosen = found[at]
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' })
  }, [at])
  const run = (command: Command | undefined): void => {
    if (!command) return
    onClose()
    command.run()
  }
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined && event.key !== 'Enter') return
    event.preventDefault()
    if (step === undefined) run(chosen)
    else setAt((at + step + found.length) % Math.max(1, found.length))
  }

  return (
    <Dialog title="Go to or do" onClose={onClose}>
      <input
        {...COMBOBOX}
        class="wide"
        autofocus
        aria-label="Search views, operations, worlds and actions"
        aria-controls={id}
        {...(chosen && { 'aria-activedescendant': `${id}-${at}` })}
        placeholder="Search views, operations, worlds and actions"
        autocomplete="off"
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          setAt(0)
        }}
        onKeyDown={press}
      />
      <div class="palette" role="listbox" id={id} ref={list} aria-label="Commands">
        {found.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which has the focus.
          <div
            key={`${command.name} ${command.detail}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            tabIndex={-1}
            onClick={() => run(command)}
          >
            <span class="long">{command.name}</span>{' '}
            <span class="quiet long">{command.detail}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="quiet">Nothing matches.</p>}
    </Dialog>
  )
}

/** The commands that contain each word of the text. */
function select(commands: readonly Command[], text: string): readonly Command[] {
  const words = text.toLowerCase().split(/\s+/)
  return commands
    .filter(({ name, detail }) => {
      const content = `${name} ${detail}`.toLowerCase()
      return words.every((word) => content.includes(word))
    })
    .slice(0, SHOWN)
}

function useCommands(labelOf: PaletteProps['labelOf']): readonly Command[] {
  const { client, linkTo } = usePage()
  const { worlds, clock, rules } = useSandbox()
  const { run } = useAction()
  const { value: operations } = useLoaded(() => client.operations({ behaviours: false }))
  const others = worlds.flatMap(({ name }) => (name === client.name ? [] : [name]))
  const isFrozen = clock?.isFrozen === true
  const isForced = rules.length > 0

  // The state of the sandbox is read every second, and a document may have thousands of operations.
  return useMemo(() => {
    const open = (hash: string) => () => {
      location.hash = hash
    }
    const action = (name: string, change: () => Promise<unknown>, done: string): Command => ({
      name,
      detail: 'action',
      run: () => run(change, done),
    })

    return [
      ...VIEW_NAMES.map((view) => ({
        name: labelOf(view),
        detail: 'view',
        run: open(linkTo({ view })),
      })),
      isFrozen
        ? action('Resume the clock', () => client.clock.resume(), 'The clock runs.')
        : action('Freeze the clock', () => client.clock.freeze(), 'The clock is frozen.'),
      action('Advance the clock by 61s', () => client.clock.advance('61s'), 'Advanced by 61s.'),
      ...(isForced ? [action(REMOVE_RULES, () => client.unforce(), RULES_REMOVED)] : []),
      ...others.map((name) => ({
        name: `World ${name}`,
        detail: 'world',
        run: open(linkTo({ world: name })),
      })),
      ...(operations ?? []).map(({ operation, method, path }) => ({
        name: operation,
        detail: `${method} ${path}`,
        run: open(linkTo({ view: 'operations', path: [operation] })),
      })),
    ]
  }, [client, linkTo, operations, isFrozen, isForced, others.join()])
}

const REMOVE_RULES = 'Remove all forced outcomes'
const RULES_REMOVED = 'All forced outcomes are removed.'

/**
 * Keeps the focus near its place: when the element with the focus is removed, such as the button that lifts a ban, the nearest part
 * around it that is left gets the focus. Browsers would give it to the whole page.
 */
export function useKeptFocus(root: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = root.current
    if (!element) return undefined
    let places: readonly Element[] = []
    const remember = ({ target }: FocusEvent): void => {
      places = target instanceof Element ? ancestorsOf(target, element) : []
    }
    const restore = (): void => {
      const [last] = places
      if (!last || last.isConnected || document.activeElement !== document.body) return
      const left = places.find((one) => one.isConnected)
      places = []
      if (left instanceof HTMLElement) focusOn(left)
    }
    // A dialog that is removed gives the focus back first.
    const observer = new MutationObserver(() => setTimeout(restore))
    element.addEventListener('focusin', remember)
    observer.observe(element, { childList: true, subtree: true })
    return () => {
      element.removeEventListener('focusin', remember)
      observer.disconnect()
    }
  }, [])
}

/** The element and those around it, up to `root`. */
function ancestorsOf(element: Element, root: Element): readonly Element[] {
  const { parentElement } = element
  return element === root || !parentElement
    ? [element]
    : [element, ...ancestorsOf(parentElement, root)]
}

function focusOn(element: HTMLElement): void {
  if (element.tabIndex < 0 && !element.hasAttribute('tabindex')) element.tabIndex = -1
  element.focus({ preventScroll: true })
}
