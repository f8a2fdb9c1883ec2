package main

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	rowcastgorm "github.com/rowcast/rowcast/adapters/gorm"
	"github.com/rowcast/rowcast/core"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// api answers /api. Its writes are plain GORM calls: the capture plugin sees them, and nothing is published by hand.
type api struct {
	db     *gorm.DB
	engine *rowcast.Engine
}

func (a *api) routes() []route {
	return []route{
		{http.MethodGet, "/api/cards", a.list},
		{http.MethodPost, "/api/cards", a.create},
		{http.MethodGet, "/api/cards/{id}", a.get},
		{http.MethodPut, "/api/cards/{id}", a.replace},
		{http.MethodPatch, "/api/cards/{id}", a.patch},
		{http.MethodDelete, "/api/cards/{id}", a.delete},
		{http.MethodPost, "/api/cards/{id}/restore", a.restore},
		{http.MethodPost, "/api/cards/bulk", a.bulk},
		{http.MethodGet, "/api/stats", a.stats},
	}
}

// list takes the filter of a subscription, word for word.
func (a *api) list(ctx context.Context, r request) (answer, error) {
	filter, err := a.engine.ParseFilter("Card", r.query)
	if err != nil {
		return answer{}, err
	}
	cards := []Card{} // an empty list is [], not null
	if err := a.db.WithContext(ctx).Scopes(rowcastgorm.Where(filter)).Order("id").Find(&cards).Error; err != nil {
		return answer{}, err
	}
	return ok(http.StatusOK, map[string]any{"items": cards})
}

func (a *api) get(ctx context.Context, r request) (answer, error) {
	id, err := r.cardID()
	if err != nil {
		return answer{}, err
	}
	return answerCard(http.StatusOK, a.db.WithContext(ctx), id)
}

func (a *api) create(ctx context.Context, r request) (answer, error) {
	members, err := r.readObject()
	if err != nil {
		return answer{}, err
	}
	sent, err := parseNew(members)
	if err != nil {
		return answer{}, err
	}
	var card Card
	sent.replace(&card)
	if err := a.db.WithContext(ctx).Create(&card).Error; err != nil {
		return answer{}, err
	}
	return ok(http.StatusCreated, card)
}

// replace writes the whole card. The row is locked while it is read and written, so that a delete in between is not
// undone.
func (a *api) replace(ctx context.Context, r request) (answer, error) {
	id, err := r.cardID()
	if err != nil {
		return answer{}, err
	}
	members, err := r.readObject()
	if err != nil {
		return answer{}, err
	}
	sent, err := parseReplacement(members, id)
	if err != nil {
		return answer{}, err
	}
	var card Card
	err = a.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		if err := find(tx.Clauses(clause.Locking{Strength: "UPDATE"}), id, &card); err != nil {
			return err
		}
		sent.replace(&card)
		return tx.Save(&card).Error
	})
	if err != nil {
		return answer{}, err
	}
	return ok(http.StatusOK, card)
}

func (a *api) patch(ctx context.Context, r request) (answer, error) {
	id, err := r.cardID()
	if err != nil {
		return answer{}, err
	}
	members, err := r.readObject()
	if err != nil {
		return answer{}, err
	}
	sent, err := parseValues("", members, refuseReadOnly)
	if err != nil {
		return answer{}, err
	}
	return a.change(ctx, id, func(tx *gorm.DB) error {
		if len(sent) == 0 {
			return nil
		}
		return tx.Model(&Card{ID: id}).Updates(sent.columns()).Error
	})
}

func (a *api) restore(ctx context.Context, r request) (answer, error) {
	id, err := r.cardID()
	if err != nil {
		return answer{}, err
	}
	return a.change(ctx, id, func(tx *gorm.DB) error {
		restored := tx.Unscoped().Model(&Card{ID: id}).Where("deleted_at IS NOT NULL").Update("deleted_at", nil)
		if restored.Error == nil && restored.RowsAffected == 0 {
			return notFound("there is no deleted card %d", id)
		}
		return restored.Error
	})
}

func (a *api) delete(ctx context.Context, r request) (answer, error) {
	id, err := r.cardID()
	if err != nil {
		return answer{}, err
	}
	db := a.db.WithContext(ctx)
	query, err := url.ParseQuery(r.query)
	if err != nil {
		return answer{}, badRequest("BAD_QUERY", "", "the query is malformed")
	}
	if text := query.Get("purge"); text != "" {
		purge, err := strconv.ParseBool(text)
		if err != nil {
			return answer{}, badRequest("INVALID_VALUE", "purge", "it must be true or false")
		}
		if purge {
			db = db.Unscoped()
		}
	}
	deleted := db.Delete(&Card{ID: id})
	if deleted.Error == nil && deleted.RowsAffected == 0 {
		return answer{}, notFound("there is no card %d", id)
	}
	return answer{status: http.StatusNoContent}, deleted.Error
}

// bulk is one UPDATE with a WHERE.
func (a *api) bulk(ctx context.Context, r request) (answer, error) {
	members, err := r.readObject()
	if err != nil {
		return answer{}, err
	}
	for _, name := range sortedNames(members) {
		if name != "where" && name != "set" {
			return answer{}, badRequest("UNKNOWN_FIELD", name, "a bulk change has where and set")
		}
	}
	where, err := parsePart("where", members["where"])
	if err != nil {
		return answer{}, err
	}
	set, err := parsePart("set", members["set"])
	if err != nil {
		return answer{}, err
	}
	changed := a.db.WithContext(ctx).Model(&Card{}).Where(where.columns()).Updates(set.columns())
	if changed.Error != nil {
		return answer{}, changed.Error
	}
	return ok(http.StatusOK, map[string]any{"affected": changed.RowsAffected})
}

func (a *api) stats(context.Context, request) (answer, error) {
	return ok(http.StatusOK, a.engine.Stats())
}

// change writes a card and answers with the row as it is then.
func (a *api) change(ctx context.Context, id uint64, write func(*gorm.DB) error) (given answer, err error) {
	err = a.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		if err := write(tx); err != nil {
			return err
		}
		given, err = answerCard(http.StatusOK, tx, id)
		return err
	})
	return given, err
}

func answerCard(status int, db *gorm.DB, id uint64) (answer, error) {
	var card Card
	if err := find(db, id, &card); err != nil {
		return answer{}, err
	}
	return ok(status, card)
}

// find reads a card that is not deleted.
func find(db *gorm.DB, id uint64, card *Card) error {
	err := db.First(card, id).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return notFound("there is no card %d", id)
	}
	return err
}
