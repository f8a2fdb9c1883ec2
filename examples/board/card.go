package main

import (
	"context"
	"crypto/rand"
	"time"

	"gorm.io/gorm"
)

// Card is the model: a table for GORM, an entity for rowcast.
type Card struct {
	ID        uint64         `json:"id" gorm:"primaryKey;autoIncrement"`
	Title     string         `json:"title" gorm:"not null"`
	Status    string         `json:"status" gorm:"not null;index"`
	Owner     string         `json:"owner" gorm:"not null"`
	Points    int            `json:"points" gorm:"not null"`
	Note      *string        `json:"note"`
	Due       *time.Time     `json:"due"`
	CreatedAt time.Time      `json:"createdAt"`
	UpdatedAt time.Time      `json:"updatedAt"`
	Secret    string         `json:"-"` // never in an answer, an event or an error text
	DeletedAt gorm.DeletedAt `json:"-" gorm:"index"`
}

// statuses are the board's columns.
var statuses = []string{"todo", "doing", "done"}

// BeforeCreate gives every card something to hide.
func (c *Card) BeforeCreate(*gorm.DB) error {
	if c.Secret == "" {
		c.Secret = rand.Text()
	}
	return nil
}

// AfterFind makes answers the same on every database: some drivers hand out the machine's time zone.
func (c *Card) AfterFind(*gorm.DB) error {
	c.CreatedAt, c.UpdatedAt = c.CreatedAt.UTC(), c.UpdatedAt.UTC()
	if c.Due != nil {
		due := c.Due.UTC()
		c.Due = &due
	}
	return nil
}

// now is what every timestamp is made of: what all databases can keep.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// seed fills a board that never held a card.
func seed(ctx context.Context, db *gorm.DB) error {
	var count int64
	if err := db.WithContext(ctx).Unscoped().Model(&Card{}).Count(&count).Error; err != nil || count > 0 {
		return err
	}
	day := func(n int) *time.Time {
		due := now().AddDate(0, 0, n).Truncate(24 * time.Hour).Add(16 * time.Hour)
		return &due
	}
	note := func(text string) *string { return &text }
	return db.WithContext(ctx).Create([]*Card{
		{Title: "Open this page in a second window", Status: "todo", Owner: "you", Points: 1,
			Note: note("Then move a card and watch the other one.")},
		{Title: "Draft the release notes", Status: "todo", Owner: "Amina", Points: 3, Due: day(4)},
		{Title: "Rehearse the restore from backup", Status: "todo", Owner: "Jonas", Points: 5,
			Note: note("Last done in spring."), Due: day(9)},
		{Title: "Move invoices to the new schema", Status: "doing", Owner: "Mei", Points: 8, Due: day(2)},
		{Title: "Find out why the nightly job is slow", Status: "doing", Owner: "Jonas", Points: 3},
		{Title: "Mount the stream, register the plugin", Status: "done", Owner: "Amina", Points: 1,
			Note: note("About ten lines.")},
	}).Error
}
