// The types of shop.yaml, as openapi-typescript writes them, without the operations that need no handler.

export interface Product {
  id: number
  name: string
  price: number
  stock: number
}
export interface Line {
  id: number
  productId: number
  quantity: number
  price: number
}
export interface Cart {
  id: number
  coupon?: string
  total: number
}
export interface Order {
  id: number
  total: number
  status: 'paid' | 'shipped' | 'refunded'
  orderedAt?: string
}
export interface Refund {
  id: number
  amount: number
}

interface Json<Value> {
  headers: object
  content: { 'application/json': Value }
}
type Failure = Json<{ error: string; detail?: string }>

export interface operations {
  searchProducts: {
    parameters: { query: { q: string } }
    requestBody?: never
    responses: { 200: Json<{ total: number; hits: readonly Product[] }> }
  }
  getCart: {
    parameters: { path: { cartId: number } }
    requestBody?: never
    responses: { 200: Json<Cart>; 404: Failure }
  }
  checkOut: {
    parameters: { path: { cartId: number } }
    requestBody?: never
    responses: { 201: Json<Order>; 404: Failure; 409: Failure }
  }
  refund: {
    parameters: { path: { orderId: number } }
    requestBody: Json<{ amount: number }>
    responses: { 201: Json<Refund>; 404: Failure; 409: Failure }
  }
}
