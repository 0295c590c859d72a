import type { Delivery } from '../events/delivery.ts'

/** A delivery that is still to be sent, with other parts where they matter. */
export function pendingDelivery(id: number, parts: Partial<Delivery> = {}): Delivery {
  return {
    id,
    event: { id: `evt_${id}`, type: 'order.created', at: 0 },
    url: 'http://127.0.0.1/hooks',
    method: 'POST',
    contentType: 'application/json',
    body: '{}',
    attempts: [],
    next: 1000,
    state: 'pending',
    ...parts,
  }
}
