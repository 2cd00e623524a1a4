export type GlyphState = 'working' | 'failing' | 'warning' | 'maintenance' | 'unknown';
