import type { NewPet, Pet, Status } from './client.ts'
import type { Shop, ShopState } from './shop.ts'

const STATUSES: readonly Status[] = ['available', 'pending', 'sold']

/** Connects the elements of `page.html` with a shop. `createShop` receives the function that renders a state. */
export function mount(createShop: (render: (state: ShopState) => void) => Shop): void {
  const shop = createShop((state) => render(state, shop))

  find('filter').addEventListener('change', () => shop.show(selectedStatus()))
  find('more').addEventListener('click', () => shop.more())
  find<HTMLFormElement>('add').addEventListener('submit', async (event) => {
    event.preventDefault()
    const form = find<HTMLFormElement>('add')
    await shop.add(readPet(new FormData(form)))
    if (shop.state.message === undefined) form.reset()
  })
  setInterval(() => renderBanner(shop.state, shop), 250)
  shop.show().catch(console.error)
}

function selectedStatus(): Status | undefined {
  const { value } = find<HTMLSelectElement>('filter')
  return STATUSES.find((status) => status === value)
}

function readPet(form: FormData): NewPet {
  return { name: String(form.get('name')), categoryId: Number(form.get('category')) }
}

function render(state: ShopState, shop: Shop): void {
  find('pets').replaceChildren(...state.pets.map(createCard))
  find('count').textContent = `${state.pets.length} shown`
  find('more').hidden = state.next === undefined
  renderBanner(state, shop)
}

function renderBanner({ message }: ShopState, shop: Shop): void {
  const seconds = shop.secondsLeft()
  const isWaiting = seconds > 0
  const banner = find('banner')
  banner.hidden = message === undefined
  banner.textContent = isWaiting
    ? `The store asks for a break. You can go on in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`
    : (message ?? '')
  for (const control of document.querySelectorAll<HTMLButtonElement>('button, select')) {
    control.disabled = isWaiting
  }
}

function createCard({ id, name, categoryId, status = 'available' }: Pet): HTMLElement {
  const item = document.createElement('li')
  const title = document.createElement('strong')
  const detail = document.createElement('span')
  const badge = document.createElement('em')
  title.textContent = name
  detail.textContent = `No. ${id} · category ${categoryId}`
  badge.textContent = status
  badge.className = status
  item.append(title, badge, detail)

  return item
}

function find<E extends HTMLElement = HTMLElement>(id: string): E {
  const element = document.querySelector<E>(`#${id}`)
  if (element) return element
  throw new Error(`The page has no element #${id}`)
}
